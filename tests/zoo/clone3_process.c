/* Starts a process by clone3, whose arguments no filter can see. */
#include "animal.h"

#include <linux/sched.h>

static int trick(const struct call *call)
{
    (void)call;
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    return through(child);
}
