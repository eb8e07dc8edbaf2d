/* Divides by zero. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    volatile int zero = 0;
    return 7 / zero;
}
