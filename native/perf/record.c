#include "record.h"

#include "calibrate.h"
#include "canary.h"
#include "clock.h"
#include "disturbance.h"
#include "plausible.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void write_moment(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void record_start(struct record *record)
{
    write_moment(record->started_utc);
    record->started_ns = clock_now_ns();
}

void record_end(struct record *record)
{
    write_moment(record->ended_utc);
    record->lasted_ns = clock_now_ns() - record->started_ns;
}

static void string_or_null(struct json *json, const char *name, const char *text)
{
    json_string(json, name, text != NULL && text[0] != '\0' ? text : NULL);
}

static void unsigned_or_null(struct json *json, const char *name, bool known, uint64_t value)
{
    if (known)
        json_unsigned(json, name, value);
    else
        json_null(json, name);
}

static void write_digest(struct json *json, const char *name, const unsigned char *digest, int bits)
{
    char hex[2 * TRIAL_MAX_DIGEST_BITS / 8 + 1] = "";
    for (int i = 0; i < (bits + 7) / 8; i++)
        sprintf(hex + 2 * i, "%02X", digest[i]);
    json_string(json, name, hex);
}

static void write_made_from(struct json *json, const struct options *options)
{
    json_open_object(json, "made_from");
    for (int i = 0; i < options->made_from_count; i++) {
        const char *text = options->made_from[i], *equals = strchr(text, '=');
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        json_string(json, name, equals + 1);
    }
    json_close_object(json);
}

static void write_files(struct json *json, const struct record *record, const struct options *options)
{
    json_open_object(json, "files");
    json_string(json, "driver_sha256", record->driver_sha256);
    json_string(json, "library", record->library);
    string_or_null(json, "library_sha256", record->library_sha256);
    json_string(json, "verdict", options->verdict);
    string_or_null(json, "verdict_sha256", record->verdict_sha256);
    json_string(json, "host", options->host);
    string_or_null(json, "host_sha256", record->host_sha256);
    json_close_object(json);
}

static void write_environment(struct json *json, const struct record *record)
{
    struct utsname system = {0};
    uname(&system);
    char kernel[sizeof system.sysname + sizeof system.release + 1];
    snprintf(kernel, sizeof kernel, "%s %s", system.sysname, system.release);
    json_open_object(json, "environment");
    json_string(json, "kernel", kernel);
    json_string(json, "architecture", system.machine);
    json_integer(json, "cpu_asked", record->cpu);
    json_string(json, "cpus_allowed", record->cpus_allowed);
    json_open_array(json, "load_average");
    for (int i = 0; i < 3; i++)
        json_number(json, NULL, record->load_average[i]);
    json_close_array(json);
    json_string(json, "clock", "CLOCK_MONOTONIC_RAW");
    unsigned_or_null(json, "clock_resolution_ns", record->clock_step_ns > 0, (uint64_t)record->clock_step_ns);
    json_integer(json, "page_bytes", sysconf(_SC_PAGESIZE));
    json_close_object(json);
}

static void write_plan(struct json *json, const struct record *record, const struct options *options)
{
    const struct plan_limits *limits = &options->limits;
    json_open_object(json, "plan");
    json_integer(json, "trials", limits->trials);
    json_unsigned(json, "target_ns", limits->target_ns);
    json_unsigned(json, "budget_ns", limits->budget_ns);
    json_number(json, "precision", limits->precision);
    json_number(json, "patience", limits->patience);
    if (options->clock_hz > 0)
        json_number(json, "clock_hz", options->clock_hz);
    else
        json_null(json, "clock_hz");
    unsigned_or_null(json, "warmup_calls", record->planned, (uint64_t)record->plan.warmup_calls);
    unsigned_or_null(json, "calls_per_batch", record->planned, record->plan.calls_per_batch);
    unsigned_or_null(json, "batches_per_trial", record->planned, (uint64_t)record->plan.batches_per_trial);
    json_close_object(json);
}

/* Why repeats were not tried. */
static const char *no_repeats(uint64_t message_bytes)
{
    if (message_bytes == 0)
        return "an empty message has no last byte";
    return message_bytes > CALIBRATE_MOST_BYTES ? "messages above 65536 bytes may not fit twice into the caches"
                                                : "calls take too long";
}

static void write_repeats(struct json *json, const struct trial_repeats *repeats, uint64_t message_bytes)
{
    json_string(json, "repeats_reason", repeats->tries > 0 ? "" : no_repeats(message_bytes));
    if (repeats->tries == 0) {
        json_null(json, "repeats");
        return;
    }
    json_open_object(json, "repeats");
    json_unsigned(json, "plain_calls", repeats->plain_calls);
    json_integer(json, "plain_ns", repeats->plain_ns);
    json_unsigned(json, "alternating_calls", repeats->alternating_calls);
    json_integer(json, "alternating_ns", repeats->alternating_ns);
    json_unsigned(json, "tries", repeats->tries);
    json_close_object(json);
}

static void write_calibration(struct json *json, const struct record *record, uint64_t message_bytes)
{
    if (record->calibration.calls == 0) {
        json_null(json, "calibration");
        return;
    }
    json_open_object(json, "calibration");
    json_unsigned(json, "calls", record->calibration.calls);
    json_integer(json, "elapsed_ns", record->calibration.elapsed_ns);
    write_repeats(json, &record->repeats, message_bytes);
    json_close_object(json);
}

static void write_canary(struct json *json, const struct reference *reference)
{
    if (!reference->exists) {
        json_null(json, "canary");
        return;
    }
    json_open_object(json, "canary");
    json_integer(json, "additions", CANARY_ADDITIONS);
    json_integer(json, "reference_ns", reference->stored_ns);
    json_integer(json, "seen_ns", reference->seen_ns);
    json_number(json, "tolerance", CANARY_TOLERANCE);
    json_close_object(json);
}

static bool is_counted(const struct record *record)
{
    return strcmp(record->cycle_source, "perf_event") == 0;
}

static bool is_ticked(void)
{
    return strcmp(clock_reference_name(), "none") != 0;
}

static void write_events(struct json *json, const struct trial_events *events)
{
    json_integer(json, "voluntary_switches", events->voluntary_switches);
    json_integer(json, "involuntary_switches", events->involuntary_switches);
    json_integer(json, "minor_faults", events->minor_faults);
    json_integer(json, "major_faults", events->major_faults);
}

static void write_batch(struct json *json, const struct trial_batch *batch, bool counted, unsigned disturbed)
{
    char words[64];
    json_open_object(json, NULL);
    json_unsigned(json, "calls", batch->calls);
    json_integer(json, "elapsed_ns", batch->elapsed_ns);
    json_integer(json, "cpu_ns", batch->cpu_ns);
    unsigned_or_null(json, "cycles", counted, batch->counted.cycles);
    unsigned_or_null(json, "enabled_ns", counted, batch->counted.enabled_ns);
    unsigned_or_null(json, "running_ns", counted, batch->counted.running_ns);
    unsigned_or_null(json, "reference_ticks", is_ticked(), batch->reference_ticks);
    write_events(json, &batch->events);
    json_integer(json, "cpu", batch->cpu);
    disturbance_words(disturbed, words, sizeof words);
    json_string(json, "disturbed", words);
    json_close_object(json);
}

static void write_core_clock(struct json *json, const struct trial_report *report)
{
    if (report->chain_before_ns == 0) {
        json_null(json, "core_clock");
        return;
    }
    json_open_object(json, "core_clock");
    json_integer(json, "additions", CLOCK_CHAIN_ADDITIONS);
    json_integer(json, "before_ns", report->chain_before_ns);
    json_integer(json, "after_ns", report->chain_after_ns);
    json_close_object(json);
}

static void write_circumstances(struct json *json, int trial, const struct trial_report *report)
{
    struct layout layout = layout_of(trial);
    json_open_object(json, "layout");
    json_integer(json, "message_offset", layout.message_offset);
    json_integer(json, "stack_offset", layout.stack_offset);
    json_integer(json, "environment_bytes", layout.environment_bytes);
    json_close_object(json);
    json_open_object(json, "isolation");
    json_bool(json, "memory_locked", report->memory_locked != 0);
    json_bool(json, "realtime", report->realtime != 0);
    json_bool(json, "counter_pinned", report->counter_pinned != 0);
    json_close_object(json);
    json_integer(json, "cpu_before", report->cpu_before);
    json_integer(json, "cpu_after", report->cpu_after);
    write_core_clock(json, report);
    unsigned_or_null(json, "frequency_khz", report->frequency_khz > 0, (uint64_t)report->frequency_khz);
}

/* What the process took, as the kernel and the supervisor tell, and what of it was for all but the batches. */
static void write_process(struct json *json, const struct record_trial *trial, int batches)
{
    const struct trial_truth *truth = &trial->truth;
    json_open_object(json, "process");
    json_integer(json, "wall_ns", truth->end_ns - truth->start_ns);
    unsigned_or_null(json, "reference_ticks", is_ticked(), truth->reference_ticks);
    json_integer(json, "cpu_ns", truth->cpu_ns);
    json_integer(json, "peak_rss_kib", truth->peak_rss_kib);
    json_integer(json, "ready_cpu_ns", trial->report.ready_cpu_ns);
    json_integer(json, "untimed_ns", plausible_untimed_ns(&trial->report, batches));
    json_close_object(json);
}

static void write_batches(struct json *json, const struct record *record, const struct record_trial *trial)
{
    int batches = record->plan.batches_per_trial;
    json_open_array(json, "canaries_ns");
    for (int i = 0; i <= batches && record->reference.exists; i++)
        json_integer(json, NULL, trial->report.canaries_ns[i]);
    json_close_array(json);
    json_open_array(json, "batches");
    for (int i = 0; i < batches; i++)
        write_batch(json, &trial->report.batches[i], is_counted(record), trial->disturbed[i]);
    json_close_array(json);
}

static void write_trial(struct json *json, const struct record *record, int number)
{
    const struct record_trial *trial = &record->trials[number];
    const struct trial_report *report = &trial->report;
    const struct trial_batch total = trial_total(report, record->plan.batches_per_trial);
    json_open_object(json, NULL);
    json_integer(json, "trial", number);
    json_unsigned(json, "calls", total.calls);
    json_integer(json, "elapsed_ns", total.elapsed_ns);
    unsigned_or_null(json, "cycles", is_counted(record), total.counted.cycles);
    unsigned_or_null(json, "reference_ticks", is_ticked(), total.reference_ticks);
    write_circumstances(json, number, report);
    write_process(json, trial, record->plan.batches_per_trial);
    write_events(json, &total.events);
    write_digest(json, "digest", report->digest, record->digest_bits);
    json_bool(json, "digest_same",
              memcmp(report->digest, record->digest, (size_t)(record->digest_bits + 7) / 8) == 0);
    write_batches(json, record, trial);
    json_close_object(json);
}

void record_write(const struct record *record, const struct options *options, char **command, struct json *json)
{
    char operation[32];
    snprintf(operation, sizeof operation, "hash_%llu", (unsigned long long)options->message_bytes);
    json_open_object(json, NULL);
    json_string(json, "schema", "ngcc-perf/record");
    json_integer(json, "version", 3);
    json_string(json, "status", record->status);
    json_string(json, "reason", record->reason);
    json_bool(json, "retry", record->retry);
    write_made_from(json, options);
    json_string(json, "candidate", record->candidate);
    json_string(json, "instance", record->instance);
    json_string(json, "operation", operation);
    json_integer(json, "digest_bits", record->digest_bits);
    json_unsigned(json, "message_bytes", options->message_bytes);
    json_open_array(json, "command");
    for (char **word = command; *word != NULL; word++)
        json_string(json, NULL, *word);
    json_close_array(json);
    json_string(json, "started_utc", record->started_utc);
    json_string(json, "ended_utc", record->ended_utc);
    json_integer(json, "lasted_ns", record->lasted_ns);
    write_files(json, record, options);
    write_environment(json, record);
    sandbox_write(json, &record->sandbox);
    json_open_object(json, "input");
    json_string(json, "rule", RECORD_INPUT_RULE);
    string_or_null(json, "sha256", record->input_sha256);
    json_close_object(json);
    if (record->digest_known) {
        json_open_object(json, "digest");
        write_digest(json, "value", record->digest, record->digest_bits);
        json_bool(json, "same", record->digest_same);
        json_close_object(json);
    } else {
        json_null(json, "digest");
    }
    write_plan(json, record, options);
    write_calibration(json, record, options->message_bytes);
    write_canary(json, &record->reference);
    json_string(json, "cycle_source", record->cycle_source);
    json_string(json, "cycle_source_reason", record->cycle_source_reason);
    json_string(json, "reference_clock", clock_reference_name());
    json_string(json, "stopped", record->stopped);
    json_open_array(json, "trials");
    for (int i = 0; i < record->trial_count; i++)
        write_trial(json, record, i);
    json_close_array(json);
    json_close_object(json);
}
