/* Never ends to be loaded. */
#include "animal.h"

__attribute__((constructor)) static void load(void)
{
    for (;;)
        ;
}

static int trick(const struct call *call)
{
    (void)call;
    return 0;
}
