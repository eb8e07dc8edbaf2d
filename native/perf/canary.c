#include "canary.h"

#include "clock.h"

/* As in the chain of clock.c, registers only; each chain doubles a number of its own. */
#if defined(__x86_64__)
#define SIX "add %0, %0\n\tadd %1, %1\n\tadd %2, %2\n\tadd %3, %3\n\tadd %4, %4\n\tadd %5, %5\n\t"
#elif defined(__aarch64__)
#define SIX                                                                                                            \
    "add %0, %0, %0\n\tadd %1, %1, %1\n\tadd %2, %2, %2\n\tadd %3, %3, %3\n\tadd %4, %4, %4\n\tadd %5, %5, %5\n\t"
#endif

bool canary_exists(void)
{
    return clock_chain_obstacle()[0] == '\0';
}

bool canary_is_disturbed(int64_t canary_ns, int64_t least_ns)
{
    return (double)canary_ns > (1 + CANARY_TOLERANCE) * (double)least_ns;
}

#ifdef SIX
#define FOUR(text) text text text text
enum { ADDITIONS_PER_TURN = 32 * CANARY_CHAINS };

/* Aligned, so that every build fetches it alike. */
__attribute__((noinline, aligned(64))) static void add_up(void)
{
    uint64_t a = 1, b = 1, c = 1, d = 1, e = 1, f = 1;
    for (int turn = 0; turn < CANARY_ADDITIONS / ADDITIONS_PER_TURN; turn++)
        __asm__ volatile(FOUR(FOUR(SIX)) FOUR(FOUR(SIX))
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f)
                         :
                         : "cc");
}

int64_t canary_run_ns(void)
{
    int64_t start = clock_now_ns();
    add_up();
    int64_t elapsed = clock_now_ns() - start;
    return elapsed > 0 ? elapsed : 1;
}
#else
int64_t canary_run_ns(void)
{
    return 1;
}
#endif
