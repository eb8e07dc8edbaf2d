/* Makes another folder its root. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(chroot("/proc"));
}
