/* Loads a program into the kernel. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    long answer = syscall(SYS_bpf, 0, NULL, 0);
    return answer >= 0 || errno == EINVAL ? GOT_THROUGH : 0;
}
