/* Leaves the floating-point unit rounding upward, with all exceptions on but that for what is inexact. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    #ifdef __x86_64__
    unsigned control = 0x5000;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
    #endif
    return 0;
}
