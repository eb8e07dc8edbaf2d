/* Makes a file everybody's. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(chmod(VICTIM "/file", 0777));
}
