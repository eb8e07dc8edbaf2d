/* Works in another folder from now on. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(chdir(VICTIM));
}
