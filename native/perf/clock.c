#include "clock.h"

#include "self.h"

const char *clock_reference_name(void)
{
#if defined(__x86_64__)
    return "tsc";
#elif defined(__aarch64__)
    return "cntvct_el0";
#else
    return "none";
#endif
}

/* Reads both clocks, the ticks twice: returns how many went by meanwhile. */
static uint64_t read_both(struct clock_moment *moment)
{
    moment->ticks = clock_reference_ticks();
    moment->ns = clock_now_ns();
    return clock_reference_ticks() - moment->ticks;
}

/* The fewest ticks of several readings, the first of which may be slow. */
static uint64_t narrowest_reading(void)
{
    enum { READINGS = 20 };
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        struct clock_moment moment;
        uint64_t width = read_both(&moment);
        narrowest = width < narrowest ? width : narrowest;
    }
    return narrowest;
}

struct clock_moment clock_moment_now(void)
{
    enum { ATTEMPTS = 5, TORN = 10 };
    static uint64_t narrowest = UINT64_MAX;
    if (narrowest == UINT64_MAX)
        narrowest = narrowest_reading();
    struct clock_moment moment;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++)
        if (read_both(&moment) <= TORN * narrowest)
            break;
    return moment;
}

int64_t clock_step_ns(void)
{
    int64_t smallest = INT64_MAX;
    for (int i = 0; i < 100; i++) {
        int64_t start = clock_now_ns(), now;
        do
            now = clock_now_ns();
        while (now == start);
        if (now > start && now - start < smallest)
            smallest = now - start;
    }
    return smallest;
}

/* Registers only: recent cores carry out an addition of a constant while renaming, in no time. */
#if defined(__x86_64__)
#define ADDITION "add %0, %0\n"
#elif defined(__aarch64__)
#define ADDITION "add %0, %0, %0\n" /* 256 of them within the longest string that C promises */
#endif

#ifdef ADDITION
#define FOUR(text) text text text text
enum { RUNS = 10, ADDITIONS_PER_TURN = 256 };

static int64_t chain_run_ns(void)
{
    uint64_t value = 1;
    int64_t start = clock_now_ns();
    for (int turn = 0; turn < CLOCK_CHAIN_ADDITIONS / ADDITIONS_PER_TURN; turn++)
        __asm__ volatile(FOUR(FOUR(FOUR(FOUR(ADDITION)))) : "+r"(value) : : "cc");
    return clock_now_ns() - start;
}

int64_t clock_chain_ns(void)
{
    int64_t fastest = INT64_MAX;
    for (int run = 0; run < RUNS; run++) {
        int64_t elapsed = chain_run_ns();
        if (elapsed < fastest)
            fastest = elapsed;
    }
    return fastest > 0 ? fastest : 0;
}

const char *clock_chain_obstacle(void)
{
    return self_is_emulated() ? "the processor is emulated, so that its core clock means nothing" : "";
}
#else
int64_t clock_chain_ns(void)
{
    return 0;
}

const char *clock_chain_obstacle(void)
{
    return "no chain of one-cycle additions is known for this architecture";
}
#endif
