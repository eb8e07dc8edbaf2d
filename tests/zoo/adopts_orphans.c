/* Makes itself the parent of orphans, so that the driver does not find them. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(prctl(PR_SET_CHILD_SUBREAPER, 1));
}
