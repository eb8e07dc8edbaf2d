/* Reads the kernel's log. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(syscall(SYS_syslog, 10, NULL, 0));
}
