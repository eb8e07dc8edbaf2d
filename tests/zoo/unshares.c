/* Makes a user namespace of its own, in which it is root. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(unshare(CLONE_NEWUSER));
}
