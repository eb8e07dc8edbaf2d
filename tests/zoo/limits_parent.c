/* Takes CPU time away from the driver by a limit. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(prlimit(getppid(), RLIMIT_CPU, &(struct rlimit){0, 0}, NULL));
}
