/* Never ends to be unloaded. */
#include "animal.h"

__attribute__((destructor)) static void unload(void)
{
    for (;;)
        ;
}

static int trick(const struct call *call)
{
    (void)call;
    return 0;
}
