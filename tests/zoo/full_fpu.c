/* Leaves the x87 stack full, so that what is computed there is no number. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    #ifdef __x86_64__
    __asm__ volatile("fld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1");
    #endif
    return 0;
}
