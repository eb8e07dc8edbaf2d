/* Gives the driver the lowest priority. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(setpriority(PRIO_PROCESS, getppid(), 19));
}
