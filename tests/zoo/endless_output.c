/* Writes to its standard output without end. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    for (;;)
        puts("noise");
}
