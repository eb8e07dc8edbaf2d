/* Opens a socket while it is loaded. */
#include "animal.h"

__attribute__((constructor)) static void load(void)
{
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
        _exit(GOT_THROUGH);
}

static int trick(const struct call *call)
{
    (void)call;
    return 0;
}
