/* Empties a file that it opens for reading. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open(VICTIM "/file", O_RDONLY | O_TRUNC));
}
