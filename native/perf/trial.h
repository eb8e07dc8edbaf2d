/* A trial: one freshly executed process that times one library at one message length.
 * The supervisor hands over a task and takes back a report in a shared file of fixed size and layout, never as text; it
 * believes nothing of a report that it hasn't checked, since candidate code ran in the process that made it. */
#ifndef NGCC_TRIAL_H
#define NGCC_TRIAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "counter.h"
#include "layout.h"
#include "plan.h"
#include "progress.h"
#include "sandbox.h"

enum { TRIAL_MAX_DIGEST_BITS = 65536, TRIAL_TEXT = 512 };

enum trial_kind { TRIAL_CALIBRATION, TRIAL_TIMING };

struct trial_task {
    enum trial_kind kind;
    int cpu, digest_bits;
    bool use_counter, use_chain; /* a calibration tries the counter anyway */
    bool realtime;               /* take real-time priority, if that is allowed */
    bool lock_memory;
    double limit_seconds; /* time it may take */
    struct sandbox sandbox;
    uint64_t message_bytes;
    int64_t least_canary_ns; /* 0: no canaries */
    int64_t share_ns;        /* of a calibration: what the budget has for a trial */
    struct plan plan;        /* of a timing trial, and */
    struct layout layout;
    char library[PATH_MAX];
};

/* What befell the thread, as getrusage counts it. */
struct trial_events {
    int64_t voluntary_switches, involuntary_switches, minor_faults, major_faults;
};

struct trial_batch {
    uint64_t calls;
    int64_t elapsed_ns, cpu_ns; /* CLOCK_MONOTONIC_RAW, CLOCK_THREAD_CPUTIME_ID */
    uint64_t reference_ticks;
    struct counter_reading counted; /* all 0 without a counter */
    struct trial_events events;
    int cpu; /* after it */
};

struct trial_report {
    struct progress progress;
    /* 0 or another number: the trial's process may write any byte. */
    uint32_t counter_works; /* opened, and counted in every batch */
    uint32_t counter_pinned, memory_locked, realtime;
    char counter_reason[TRIAL_TEXT]; /* why it doesn't work */
    int64_t clock_step_ns;           /* of a calibration */
    int cpu_before, cpu_after;
    int64_t chain_before_ns, chain_after_ns; /* 0 without a chain */
    long frequency_khz;                      /* -1 where unknown */
    unsigned char digest[TRIAL_MAX_DIGEST_BITS / 8];
    /* Of a calibration one, the one with the fastest calls; else plan.batches_per_trial. */
    struct trial_batch batches[PLAN_MAX_BATCHES];
    int64_t canaries_ns[PLAN_MAX_BATCHES + 1]; /* before the first batch and after each */
};

struct trial_result {
    enum outcome outcome; /* DONE: the report can be believed */
    char reason[TRIAL_TEXT];
    struct trial_report report;
};

/* Runs a trial on the message in file `input`; `where` ("during trial 2") ends the reasons of bad outcomes. A counter
 * that was lost is an outcome DONE with counter_works false. Returns 0, or -1 with a sentence in result->reason where
 * the trial could not be run and says nothing. */
int trial_run(const struct trial_task *task, int input, const char *where, struct trial_result *result);

/* Whether a report's figures could have come about in wall_ns: candidate code can overwrite them. */
bool trial_is_plausible(const struct trial_task *task, const struct trial_report *report, int64_t wall_ns);

/* Sums over the first `count` batches; cpu is the last one's. */
struct trial_batch trial_total(const struct trial_report *report, int count);

/* Hidden mode of the program: `ngcc_perf TRIAL_OPTION EXCHANGE INPUT`, file descriptors that trial_run passes on. */
#define TRIAL_OPTION "--trial-process"
int trial_process(int exchange, int input);

enum { TRIAL_NOT_PINNED = 3 }; /* exit status */

/* The shared file. */
struct trial_exchange {
    struct trial_task task;
    struct trial_report report;
};

#endif
