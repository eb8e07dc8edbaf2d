/* Reads a file of the person who measures. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open(VICTIM "/file", O_RDONLY));
}
