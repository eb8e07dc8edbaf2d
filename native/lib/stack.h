/* A stack of our own for calls into candidate code: large, of known place, and its use can be measured. On the thread's
 * own stack the limit would be the user's, and the depth of a call unknown. */
#ifndef NGCC_STACK_H
#define NGCC_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "progress.h"

enum { STACK_MIB = 256 };

struct stack {
    unsigned char *bottom, *top; /* it grows from top down to bottom */
    struct region guard;         /* the pages below bottom, for progress_watch */
};

/* Reserves addresses; memory is taken as it is touched. False, with errno set, where there is no room. */
bool stack_make(struct stack *stack);

/* Runs function(argument) on the stack and returns when it returns. One stack at a time. */
void stack_run(const struct stack *stack, void (*function)(void *), void *argument);

/* The caller's stack pointer: in a function without variable-length arrays, the one with which it calls others. */
static inline unsigned char *stack_pointer(void)
{
    unsigned char *pointer;
#if defined __x86_64__
    __asm__ volatile("mov %%rsp, %0" : "=r"(pointer));
#elif defined __aarch64__
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
#else
    pointer = __builtin_frame_address(0);
#endif
    return pointer;
}

/* Paints the stack's upper part; call it before stack_run, so that stack_lowest sees use to the byte there. */
void stack_paint(const struct stack *stack);

/* The lowest byte used since stack_paint: exact in the painted part; below it exact where the lowest page touched
 * holds anything but zeros, else that page's first byte. */
const unsigned char *stack_lowest(const struct stack *stack);

#endif
