/* A trial: one freshly executed process that times one library at one message length.
 * The supervisor hands over a task in a shared file, in which the process leaves its progress, and takes back a report
 * through a pipe (report.h). It believes nothing of a report that it hasn't held against what only the kernel and its own
 * clocks tell (plausible.h), since candidate code ran in the process that made it. */
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
    bool emulated; /* CPU time of the process is not that of its code alone */
    double limit_seconds; /* time it may take */
    struct sandbox sandbox;
    uint64_t message_bytes;
    int64_t least_canary_ns; /* 0: no canaries */
    int64_t share_ns;        /* of a calibration: what the budget has for a trial */
    int64_t repeats_ns;      /* of a calibration: what trying repeats may take */
    struct plan plan;        /* of a timing trial, and */
    struct layout layout;
    uint64_t tag; /* of every message of the report; trial_run's */
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

/* Calls with one message again and again, and calls that alternate between it and others, which differ from it in their
 * last byte; of several tries the one with the median of how much more these cost. */
struct trial_repeats {
    uint64_t plain_calls, alternating_calls;
    int64_t plain_ns, alternating_ns;
    uint64_t tries; /* 0: left out, as there is no last byte or calls take too long */
};

/* What a process said of itself. Times of moments are CLOCK_MONOTONIC_RAW, in ns. */
struct trial_report {
    bool counter_works; /* opened, and counted in every batch */
    bool counter_pinned, memory_locked, realtime;
    char counter_reason[TRIAL_TEXT]; /* why it doesn't work */
    int64_t clock_step_ns;           /* of a calibration */
    struct trial_repeats repeats;    /* of a calibration */
    int cpu_before, cpu_after;
    int64_t chain_before_ns, chain_after_ns; /* 0 without a chain */
    int64_t frequency_khz;                   /* -1 where unknown */
    unsigned char digest[TRIAL_MAX_DIGEST_BITS / 8];
    /* Of a calibration one, the one with the fastest calls; else plan.batches_per_trial. */
    struct trial_batch batches[PLAN_MAX_BATCHES];
    int64_t canaries_ns[PLAN_MAX_BATCHES + 1]; /* before the first batch and after each */
    /* Moments: before the library was loaded, before the first batch, after each batch's canary, at the end. */
    int64_t ready_ns, begun_ns, batch_moments_ns[PLAN_MAX_BATCHES], end_ns;
    int64_t ready_cpu_ns; /* CPU time of the process when it was ready */
    /* CPU time of all but the batches, canaries too: before the first batch, around each, after the last. */
    int64_t untimed_ns[PLAN_MAX_BATCHES + 1], end_untimed_ns;
};

/* What the process took, as the kernel and the supervisor's own clocks tell. */
struct trial_truth {
    int64_t start_ns, end_ns; /* moments before its start and after its end */
    uint64_t reference_ticks; /* between them */
    int64_t cpu_ns;           /* of all its threads and of children that it waited for */
    int64_t peak_rss_kib;
};

struct trial_result {
    enum outcome outcome; /* DONE: the report can be believed */
    char reason[TRIAL_TEXT];
    struct trial_report report;
    struct trial_truth truth;
};

/* CPU time of a batch, as far as it can be believed: not more than it lasted, and a coarse clock may have missed it. */
int64_t trial_cpu_ns(const struct trial_batch *batch);

/* Runs a trial on the message in file `input`; `where` ("during trial 2") ends the reasons of bad outcomes. A counter
 * that was lost is an outcome DONE with counter_works false. Returns 0, or -1 with a sentence in result->reason where
 * the trial could not be run and says nothing. */
int trial_run(struct trial_task *task, int input, const char *where, struct trial_result *result);

/* Sums over the first `count` batches; cpu is the last one's. */
struct trial_batch trial_total(const struct trial_report *report, int count);

/* Hidden mode of the program: `ngcc_perf TRIAL_OPTION EXCHANGE INPUT REPORT`, file descriptors that trial_run passes on. */
#define TRIAL_OPTION "--trial-process"
int trial_process(int exchange, int input, int report);

enum { TRIAL_NOT_PINNED = 3 }; /* exit status */

/* The shared file. */
struct trial_exchange {
    struct trial_task task; /* wiped before candidate code is loaded */
    struct progress progress;
};

#endif
