/* Blocks all signals and spins for ever. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (;;)
        ;
}
