/* Gives itself the highest priority. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(setpriority(PRIO_PROCESS, 0, -20));
}
