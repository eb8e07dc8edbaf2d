/* Each word, at its very limit; the first of two batches is the one that is judged. */
#include "disturbance.h"

#include "check.h"
#include "clock.h"

/* 10 ms at 3 GHz on CPU 1, all well. */
static struct trial_report quiet(void)
{
    struct trial_report report = {.canaries_ns = {100000, 100000, 200000},
                                  .chain_before_ns = CLOCK_CHAIN_ADDITIONS / 3,
                                  .chain_after_ns = CLOCK_CHAIN_ADDITIONS / 3};
    struct trial_batch batch = {.calls = 1, .elapsed_ns = 10000000, .cpu_ns = 10000000, .cpu = 1,
                                .counted = {30000000, 10000000, 10000000}};
    report.batches[0] = report.batches[1] = batch;
    return report;
}

static const struct expectation expected = {1, 3e9, 100000, true, false};

static const char *words(const struct trial_report *report, const struct expectation *expectation)
{
    static char text[64];
    disturbance_words(disturbance_of(report, 0, expectation), text, sizeof text);
    return text;
}

static void canaries(void)
{
    for (int at = 0; at < 2; at++) {
        struct trial_report report = quiet();
        CHECK_TEXT(words(&report, &expected), "");
        report.canaries_ns[at] = 103000;
        CHECK_TEXT(words(&report, &expected), "");
        report.canaries_ns[at] = 103001;
        CHECK_TEXT(words(&report, &expected), "canary");
        struct expectation none = expected;
        none.least_canary_ns = 0;
        CHECK_TEXT(words(&report, &none), "");
    }
}

static void counted_clock(void)
{
    struct trial_report report = quiet();
    struct counter_reading *counted = &report.batches[0].counted;
    counted->cycles = 28510000;
    CHECK_TEXT(words(&report, &expected), "");
    counted->cycles = 28490000;
    CHECK_TEXT(words(&report, &expected), "clock");
    counted->cycles = 31510000;
    CHECK_TEXT(words(&report, &expected), "clock");
    *counted = (struct counter_reading){15000000, 10000000, 5000000}; /* half of the time */
    CHECK_TEXT(words(&report, &expected), "");
    struct expectation unknown = expected;
    unknown.clock_hz = 0;
    counted->cycles = 1;
    CHECK_TEXT(words(&report, &unknown), "");
}

static void chained_clock(void)
{
    struct trial_report report = quiet();
    struct expectation chained = {1, 3e9, 100000, false, true}, unknown = {1, 0, 100000, false, true};
    report.batches[0].counted.cycles = 0;
    CHECK_TEXT(words(&report, &chained), "");
    report.chain_after_ns = report.chain_after_ns * 106 / 100;
    CHECK_TEXT(words(&report, &chained), "clock");
    CHECK_TEXT(words(&report, &unknown), "clock");
    report.chain_before_ns = report.chain_after_ns;
    CHECK_TEXT(words(&report, &chained), "clock");
    CHECK_TEXT(words(&report, &unknown), "");
}

static void scheduler(void)
{
    struct trial_report report = quiet();
    struct trial_batch *batch = &report.batches[0];
    batch->cpu_ns = 9000000; /* off the CPU, but nobody took it */
    CHECK_TEXT(words(&report, &expected), "");
    batch->events.involuntary_switches = 1;
    CHECK_TEXT(words(&report, &expected), "switched");
    batch->cpu_ns = 9990000;
    CHECK_TEXT(words(&report, &expected), "");
    batch->cpu = 0;
    CHECK_TEXT(words(&report, &expected), "migrated");
}

static void all_of_them(void)
{
    char text[64];
    disturbance_words(15, text, sizeof text);
    CHECK_TEXT(text, "canary clock switched migrated");
    disturbance_words(DISTURBED_CANARY | DISTURBED_MIGRATED, text, sizeof text);
    CHECK_TEXT(text, "canary migrated");
}

int main(void)
{
    canaries();
    counted_clock();
    chained_clock();
    scheduler();
    all_of_them();
    return failures != 0;
}
