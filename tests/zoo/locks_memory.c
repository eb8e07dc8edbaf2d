/* Locks all memory that it will ever take. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(mlockall(MCL_CURRENT | MCL_FUTURE));
}
