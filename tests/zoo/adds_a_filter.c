/* Adds a filter of its own, which would answer system calls in the driver's stead. It is missing here. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long answer = syscall(SYS_seccomp, 1, 0, NULL);
    return answer >= 0 || errno == EFAULT ? GOT_THROUGH : 0;
}
