/* What one run of ngcc_perf observed, and the JSON record of it. */
#ifndef NGCC_RECORD_H
#define NGCC_RECORD_H

#include "json.h"
#include "options.h"
#include "reference.h"
#include "sandbox.h"
#include "trial.h"

struct record_trial {
    struct trial_report report;
    struct trial_truth truth;
    unsigned char disturbed[PLAN_MAX_BATCHES]; /* of each batch, see disturbance.h */
};

struct record {
    const char *status;
    char reason[TRIAL_TEXT];
    bool retry;
    const char *candidate, *instance, *library; /* NULL where not given */
    int digest_bits;
    char driver_sha256[65], library_sha256[65], verdict_sha256[65], host_sha256[65]; /* "" where there is no file */
    char input_sha256[65];
    char started_utc[32], ended_utc[32];   /* of the host's clock, which may be set meanwhile */
    int64_t started_ns, lasted_ns;         /* CLOCK_MONOTONIC_RAW */
    char cpus_allowed[4096];
    double load_average[3];
    struct sandbox sandbox;
    int cpu;
    int64_t clock_step_ns; /* 0 before calibration */
    bool planned;
    struct plan plan;
    struct trial_batch calibration; /* calls 0: not calibrated */
    struct trial_repeats repeats;
    struct reference reference;
    bool digest_known, digest_same;
    unsigned char digest[TRIAL_MAX_DIGEST_BITS / 8];
    const char *cycle_source;
    char cycle_source_reason[TRIAL_TEXT];
    const char *stopped; /* NULL, or why measuring ended */
    struct record_trial *trials; /* by number */
    int trial_count;
};

#define RECORD_INPUT_RULE                                                                                    \
    "the first message_bytes bytes of one call of the ICCS generator (Hash_DRBG with SM3) seeded with the "  \
    "48 bytes 00 to 2F; the message starts message_offset bytes into a memory page"

/* What the record is about begins now, and ends now. */
void record_start(struct record *record);
void record_end(struct record *record);

/* `command`: the words of the driver's command, NULL after the last. */
void record_write(const struct record *record, const struct options *options, char **command, struct json *json);

#endif
