/* Opens a file for writing. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open(VICTIM "/file", O_WRONLY));
}
