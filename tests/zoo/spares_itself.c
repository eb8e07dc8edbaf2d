/* Tells the kernel to kill others first when memory is short. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open("/proc/self/oom_score_adj", O_WRONLY));
}
