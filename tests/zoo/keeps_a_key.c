/* Stores something in the kernel that outlives it. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(syscall(SYS_add_key, "user", "zoo", "x", 1L, -1));
}
