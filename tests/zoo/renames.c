/* Renames a file. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(rename(VICTIM "/file", VICTIM "/renamed"));
}
