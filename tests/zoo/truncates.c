/* Empties a file. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(truncate(VICTIM "/file", 0));
}
