/* Opens a file for writing by openat2, whose flags no filter can see. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    uint64_t how[3] = {O_WRONLY, 0, 0};
    return through(syscall(SYS_openat2, AT_FDCWD, VICTIM "/file", how, sizeof how));
}
