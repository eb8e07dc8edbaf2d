/* Renames the machine. The length is wrong, so that nothing happens where it may. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long answer = syscall(SYS_sethostname, NULL, -1L);
    return answer >= 0 || errno == EINVAL ? GOT_THROUGH : 0;
}
