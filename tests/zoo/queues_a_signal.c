/* Kills the driver by sigqueue. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(sigqueue(getppid(), SIGKILL, (union sigval){.sival_int = 0}));
}
