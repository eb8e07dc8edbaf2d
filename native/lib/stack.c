#include "stack.h"

#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
enum { PAINTED_BYTES = 1 << 16, PAINT = 0xA7 };

bool stack_make(struct stack *stack)
{
    /* A frame of up to 16 MiB that goes beyond the bottom still lands in the guard. */
    size_t guard = 16 * MIB, bytes = STACK_MIB * MIB;
    unsigned char *start = mmap(NULL, guard + bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED || mprotect(start + guard, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    madvise(start + guard, bytes, MADV_NOHUGEPAGE); /* a huge page would count as 2 MiB in use */
    stack->bottom = start + guard;
    stack->top = stack->bottom + bytes;
    stack->guard = (struct region){start, stack->bottom, OUTCOME_CRASH, "used up its stack of 256 MiB"};
    return true;
}

static struct {
    void (*function)(void *);
    void *argument;
} task; /* makecontext hands over nothing but ints */

static void run_task(void)
{
    task.function(task.argument);
}

void stack_run(const struct stack *stack, void (*function)(void *), void *argument)
{
    ucontext_t here, there;
    task.function = function;
    task.argument = argument;
    getcontext(&there);
    there.uc_stack.ss_sp = stack->bottom;
    there.uc_stack.ss_size = (size_t)(stack->top - stack->bottom);
    there.uc_link = &here;
    makecontext(&there, run_task, 0);
    swapcontext(&here, &there);
}

void stack_paint(const struct stack *stack)
{
    memset(stack->top - PAINTED_BYTES, PAINT, PAINTED_BYTES);
}

/* The lowest page in memory; swapped-out pages do not count, but nobody swaps within one call. */
static unsigned char *lowest_page(const struct stack *stack, size_t page)
{
    enum { CHUNK = 4096 };
    unsigned char resident[CHUNK];
    unsigned char *start = stack->bottom;
    for (; start < stack->top; start += CHUNK * page) {
        size_t left = (size_t)(stack->top - start) / page, count = left < CHUNK ? left : CHUNK;
        if (mincore(start, count * page, resident) != 0)
            break;
        for (size_t i = 0; i < count; i++)
            if (resident[i] & 1)
                return start + i * page;
    }
    return stack->top;
}

const unsigned char *stack_lowest(const struct stack *stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *lowest = lowest_page(stack, page), *painted = stack->top - PAINTED_BYTES;
    if (lowest >= painted) {
        const unsigned char *byte = painted;
        while (byte < stack->top && *byte == PAINT)
            byte++;
        return byte;
    }
    for (const unsigned char *byte = lowest; byte < lowest + page; byte++)
        if (*byte != 0)
            return byte;
    return lowest;
}
