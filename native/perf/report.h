/* What a trial's process tells its supervisor: messages of one size in a pipe that holds them all. Candidate code runs in
 * the process that writes them, but what lies in the pipe it can't take back or change; and nobody reads before the
 * process has ended, as whoever wakes up disturbs what is timed. */
#ifndef NGCC_REPORT_H
#define NGCC_REPORT_H

#include "trial.h"

/* In the order in which they come. */
enum report_kind {
    REPORT_READY,  /* once, before candidate code is loaded */
    REPORT_BEGUN,  /* once, before the first batch of a timing trial */
    REPORT_BATCH,  /* one a batch, once the canary behind it has run */
    REPORT_REPEATS, /* once, of a calibration */
    REPORT_DIGEST, /* in pieces */
    REPORT_REASON, /* in pieces, where the counter doesn't work; digest and batches may be missing then */
    REPORT_END
};

enum { REPORT_PIECE = 128 }; /* bytes of a digest or a reason in a message */

struct report_message {
    uint64_t tag; /* the task's */
    uint32_t sequence, kind;
    int64_t moment_ns; /* CLOCK_MONOTONIC_RAW */
    union {
        struct {
            int64_t cpu_ns; /* CPU time of the process so far */
        } ready;
        struct {
            int64_t untimed_ns, chain_ns, canary_ns;
            int32_t cpu;
            uint32_t memory_locked, realtime; /* 0 or another number */
        } begun;
        struct {
            struct trial_batch batch;
            int64_t untimed_ns, canary_ns;
        } batch;
        struct trial_repeats repeats;
        unsigned char piece[REPORT_PIECE];
        struct {
            int64_t untimed_ns, chain_ns, clock_step_ns, frequency_khz;
            int32_t cpu;
            uint32_t counter_works, counter_pinned; /* 0 or another number */
        } end;
    } of;
};

/* Supervisor: a pipe that holds every message of any trial, neither end of which ever waits. Returns 0, or -1 with a
 * sentence in `why`. */
int report_open(int ends[2], char *why, size_t capacity);

/* Supervisor, once the process has ended: fills in what the process tells. Returns NULL, or a clause that says what is
 * wrong with the messages, whatever they say. */
const char *report_read(int pipe, const struct trial_task *task, struct trial_report *report);

/* The process: appends a message; tag, sequence, kind and moment are put in. False where it could not be. */
bool report_send(int pipe, uint64_t tag, enum report_kind kind, struct report_message *message);

/* The process: appends `bytes` bytes in pieces. */
bool report_send_pieces(int pipe, uint64_t tag, enum report_kind kind, const void *data, size_t bytes);

#endif
