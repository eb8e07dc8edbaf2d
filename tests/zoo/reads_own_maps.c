/* Reads where everything lies in its process. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open("/proc/self/maps", O_RDONLY));
}
