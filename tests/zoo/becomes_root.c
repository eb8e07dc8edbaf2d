/* Tries to be root. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(setuid(0));
}
