/* Makes a folder. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(mkdir(VICTIM "/folder", 0700));
}
