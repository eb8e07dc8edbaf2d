/* Kills itself, as if it came from outside: the driver tries again what was killed from outside. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(kill(getpid(), SIGKILL));
}
