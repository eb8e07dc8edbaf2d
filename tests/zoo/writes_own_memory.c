/* Writes to its own read-only pages, through the file that they are. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open("/proc/self/mem", O_RDWR));
}
