/* Opens the driver's memory as a file. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    return through(open(path, O_RDONLY));
}
