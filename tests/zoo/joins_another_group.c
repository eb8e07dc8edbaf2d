/* Enters its parent's process group. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(setpgid(0, getppid()));
}
