/* Kills all in its own process group, as kill(0) does. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(kill(0, SIGTERM));
}
