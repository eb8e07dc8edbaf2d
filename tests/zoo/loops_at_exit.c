/* Ends the process, which never ends for its exit handler. */
#include "animal.h"

static void spin(void)
{
    for (;;)
        ;
}

static int trick(const struct call *call)
{
    (void)call;
    atexit(spin);
    exit(0);
}
