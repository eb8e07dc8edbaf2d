/* Ends the process while it is loaded. */
#include "animal.h"

__attribute__((constructor)) static void load(void)
{
    _exit(0);
}

static int trick(const struct call *call)
{
    (void)call;
    return 0;
}
