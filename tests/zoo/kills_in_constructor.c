/* Kills the driver while it is loaded. */
#include "animal.h"

__attribute__((constructor)) static void load(void)
{
    kill(getppid(), SIGKILL);
}

static int trick(const struct call *call)
{
    (void)call;
    return 0;
}
