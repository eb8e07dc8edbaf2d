/* Stops the driver, which then watches no time limit. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(kill(getppid(), SIGSTOP));
}
