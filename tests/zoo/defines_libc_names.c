/* Has functions of its own by the names of libc's, which answer wrongly. */
#include "animal.h"

time_t time(time_t *now)
{
    return now != NULL ? (*now = 1) : 1;
}
int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){1, 1};
    return 0;
}
ssize_t write(int file, const void *bytes, size_t count)
{
    (void)file;
    (void)bytes;
    return (ssize_t)count;
}
void _exit(int status)
{
    (void)status;
    for (;;)
        ;
}
int memcmp(const void *one, const void *other, size_t bytes)
{
    (void)one;
    (void)other;
    (void)bytes;
    return 0;
}

static int trick(const struct call *call)
{
    (void)call;
    return 0;
}
