/* Kills the driver by a descriptor of its process. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long parent = syscall(SYS_pidfd_open, getppid(), 0);
    if (parent < 0)
        return 0;
    return through(syscall(SYS_pidfd_send_signal, parent, SIGKILL, NULL, 0));
}
