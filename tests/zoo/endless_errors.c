/* Writes to its standard error without end. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    for (;;)
        fputs("noise\n", stderr);
}
