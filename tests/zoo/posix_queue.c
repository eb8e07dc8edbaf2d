/* Leaves a POSIX message queue behind. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(syscall(SYS_mq_open, "ngcc-zoo", O_RDONLY, 0, NULL));
}
