/* Kills itself by raise(), which is the system call that abort() makes. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(raise(SIGKILL));
}
