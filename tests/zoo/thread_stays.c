/* Starts a thread that goes on when the call has returned. */
#include "animal.h"

static void *spin(void *nothing)
{
    for (;;)
        ;
    return nothing;
}

static int trick(const struct call *call)
{
    (void)call;
    pthread_t thread;
    return through(-pthread_create(&thread, NULL, spin, NULL));
}
