/* Stops itself. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(raise(SIGSTOP));
}
