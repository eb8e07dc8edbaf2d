/* Spins for ever. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    for (;;)
        ;
}
