/* Time, reference ticks, and the core clock by a chain of one-cycle additions. */
#ifndef NGCC_CLOCK_H
#define NGCC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC_RAW in ns: never slewed by NTP. */
static inline int64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The reference clock's ticks, which are not core cycles. Never by __builtin_readcyclecounter: on AArch64 that
 * reads the PMU's counter, which traps. */
static inline uint64_t clock_reference_ticks(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* "tsc", "cntvct_el0" or "none". */
const char *clock_reference_name(void);

/* Both clocks at one moment. */
struct clock_moment {
    int64_t ns;
    uint64_t ticks;
};

/* Reads both again where something came between the readings, so that ticks and time of a batch agree. */
struct clock_moment clock_moment_now(void);

/* The smallest step seen between two readings, ns: the clock's resolution or a reading's cost, whichever is more. */
int64_t clock_step_ns(void);

/* Additions of one run of the chain. */
enum { CLOCK_CHAIN_ADDITIONS = 65536 };

/* Time of the fastest of several runs of CLOCK_CHAIN_ADDITIONS additions, ns. Each addition needs the last one's result,
 * and takes one cycle on x86-64 and AArch64 cores, so that additions / time is the core clock. 0: no chain here. */
int64_t clock_chain_ns(void);

/* "" where the chain can tell the core clock, else the reason why not. */
const char *clock_chain_obstacle(void);

#endif
