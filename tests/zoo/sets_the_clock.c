/* Sets the clock. The time is missing, so that nothing happens where it may. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long answer = syscall(SYS_clock_settime, CLOCK_REALTIME, NULL);
    return answer >= 0 || errno == EFAULT ? GOT_THROUGH : 0;
}
