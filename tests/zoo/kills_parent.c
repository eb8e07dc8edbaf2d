/* Kills the driver. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(kill(getppid(), SIGKILL));
}
