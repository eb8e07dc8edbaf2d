/* Counts events of the kernel. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long answer = syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
    return answer >= 0 || errno == EFAULT ? GOT_THROUGH : 0;
}
