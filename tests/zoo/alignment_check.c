/* Leaves the processor checking alignment, so that what is misaligned faults. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    #ifdef __x86_64__
    __asm__ volatile("pushf\n\torl $0x40000, (%%rsp)\n\tpopf" : : : "memory", "cc");
    #endif
    return 0;
}
