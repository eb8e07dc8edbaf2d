/* Reads the driver's environment. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
    return through(open(path, O_RDONLY));
}
