/* Starts a process by the bare system call, past libc. */
#include "animal.h"

#include <linux/sched.h>

static int trick(const struct call *call)
{
    (void)call;
    #ifdef __x86_64__
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0L);
    #else
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, 0L, NULL);
    #endif
    if (child == 0)
        _exit(0);
    return through(child);
}
