/* Does system calls by a queue, which no filter sees. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    char parameters[120] = {0};
    return through(syscall(SYS_io_uring_setup, 1, parameters));
}
