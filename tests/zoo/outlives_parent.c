/* Takes back that it dies with the driver. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(prctl(PR_SET_PDEATHSIG, 0));
}
