/* Handles its page faults itself, and so holds up whoever touches a page. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(syscall(SYS_userfaultfd, 1));
}
