/* Kills the driver by tgkill, which abort() needs for itself. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(syscall(SYS_tgkill, getppid(), getppid(), SIGKILL));
}
