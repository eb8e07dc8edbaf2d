/* Kills a process of the same user that it has nothing to do with. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(kill(VICTIM_PID, SIGKILL));
}
