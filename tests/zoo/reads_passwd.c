/* Reads who has an account. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open("/etc/passwd", O_RDONLY));
}
