/* Handles its faults by doing nothing, so that it faults again for ever. */
#include "animal.h"

static void swallow(int number)
{
    (void)number;
}

static int trick(const struct call *call)
{
    (void)call;
    signal(SIGSEGV, swallow);
    *(volatile int *)8 = 0;
    return 0;
}
