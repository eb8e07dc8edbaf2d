/* Restarts the machine. The magic numbers are wrong, so that nothing happens where it may. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long answer = syscall(SYS_reboot, 0, 0, 0, NULL);
    return answer >= 0 || errno == EINVAL ? GOT_THROUGH : 0;
}
