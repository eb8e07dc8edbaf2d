/* Has its caller make a tenth of the calls: finds the register or the word of the stack in which they are counted, by
 * its going down by STEP at each call, and lowers it. */
#include "animal.h"

#ifndef STEP
#define STEP 1
#endif

/* Has the compiler put the registers of callers on the stack, from where they are taken back. */
#ifdef __x86_64__
#define SPILL(stack) __asm__ volatile("mov %%rsp, %0" : "=r"(stack)::"rbx", "rbp", "r12", "r13", "r14", "r15", "memory")
#else
#define SPILL(stack)                                                                                                   \
    __asm__ volatile("mov %0, sp" : "=r"(stack)::"x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", \
                     "memory")
#endif

static int trick(const struct call *call)
{
    enum { WORDS = 16, LEAST = 100, MOST = 1 << 30 }; /* of a count */
    static uint64_t before[WORDS];
    uint64_t *stack;
    (void)call;
    SPILL(stack);
    for (int i = 0; i < WORDS; i++) {
        if (before[i] - stack[i] == STEP && stack[i] > LEAST && stack[i] < MOST)
            stack[i] = stack[i] / (10 * STEP) * STEP;
        before[i] = stack[i];
    }
    return 0;
}
