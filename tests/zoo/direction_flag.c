/* Leaves the direction flag set, so that string instructions run backwards. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    #ifdef __x86_64__
    __asm__ volatile("std");
    #endif
    return 0;
}
