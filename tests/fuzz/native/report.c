/* A trial's report: the messages of an honest process with changes in them, as a library could make them. Whatever lies
 * in the pipe, it is refused with a clause, or every figure in it could have come about in the time there was. */
#include "fuzz.h"

#include "plausible.h"
#include "report.h"

#include <fcntl.h>

enum { BATCHES = 3, CALLS = 5, STEP_NS = 1000000, MOST = 100, TAG = 42 };

static struct report_message sent[MOST];
static size_t sent_count;

static struct report_message *send(enum report_kind kind)
{
    struct report_message *message = &sent[sent_count];
    *message = (struct report_message){.tag = TAG, .kind = kind, .sequence = (uint32_t)sent_count};
    message->moment_ns = (int64_t)++sent_count * STEP_NS;
    return message;
}

static void send_honestly(const struct trial_task *task)
{
    bool timing = task->kind == TRIAL_TIMING;
    sent_count = 0;
    send(REPORT_READY)->of.ready.cpu_ns = 1000;
    if (timing) {
        struct report_message *begun = send(REPORT_BEGUN);
        begun->of.begun.chain_ns = begun->of.begun.canary_ns = begun->of.begun.untimed_ns = 1000;
    }
    for (int i = 0; i < (timing ? BATCHES : 1); i++) {
        struct report_message *batch = send(REPORT_BATCH);
        batch->of.batch.batch = (struct trial_batch){
            .calls = CALLS, .elapsed_ns = STEP_NS / 2, .cpu_ns = STEP_NS / 2, .reference_ticks = 3 * STEP_NS / 2};
        batch->of.batch.batch.counted = (struct counter_reading){STEP_NS, STEP_NS / 2, STEP_NS / 2};
        batch->of.batch.untimed_ns = batch->of.batch.canary_ns = 1000;
    }
    if (!timing)
        send(REPORT_REPEATS)->of.repeats = (struct trial_repeats){10, 10, 1000, 1000, 3};
    for (int bit = 0; bit < task->digest_bits; bit += 8 * REPORT_PIECE)
        memset(send(REPORT_DIGEST)->of.piece, 0xAB, REPORT_PIECE);
    struct report_message *end = send(REPORT_END);
    end->of.end.untimed_ns = end->of.end.chain_ns = end->of.end.clock_step_ns = 1000;
    end->of.end.counter_works = 1;
}

/* Eight bytes a change: what is done, where, and a value. */
static void change(const uint8_t *data, size_t size)
{
    static const int64_t odd[] = {0, -1, 1, INT64_MAX, INT64_MIN, INT64_C(1) << 32, STEP_NS, INT64_MAX / 2};
    for (; size >= 8; data += 8, size -= 8) {
        size_t place = (data[1] | (size_t)data[2] << 8) % (sent_count * sizeof *sent - 7);
        int64_t value = data[3] < 128 ? odd[data[3] % 8] : (int64_t)(data[4] | (uint64_t)data[5] << 8);
        struct report_message *one = &sent[data[1] % sent_count];
        if (data[0] % 8 == 0)
            ((unsigned char *)sent)[place] ^= data[4];
        else if (data[0] % 8 == 1)
            *one = sent[data[2] % sent_count];
        else if (data[0] % 8 == 2 && sent_count > 1)
            sent_count--;
        else if (data[0] % 8 == 3 && sent_count < MOST)
            sent[sent_count++] = *one;
        else
            memcpy((unsigned char *)sent + place / 8 * 8, &value, sizeof value);
    }
}

static void check(const struct trial_task *task, const struct trial_report *report, const struct trial_truth *truth)
{
    bool timing = task->kind == TRIAL_TIMING;
    int count = timing ? BATCHES : 1;
    struct trial_batch total = trial_total(report, count);
    HOLDS(total.elapsed_ns >= 0 && total.elapsed_ns <= truth->end_ns - truth->start_ns);
    HOLDS(total.cpu_ns >= 0 && (!timing || total.calls == BATCHES * CALLS));
    HOLDS(total.events.minor_faults >= 0 && total.events.voluntary_switches >= 0);
    for (int i = 0; timing && task->least_canary_ns > 0 && i <= count; i++)
        HOLDS(report->canaries_ns[i] > 0 && report->canaries_ns[i] <= truth->end_ns - truth->start_ns);
    HOLDS(plausible_untimed_ns(report, timing ? count : 0) >= 0);
    plausible_unaccounted_ns(task, report, truth);
    for (size_t i = ((size_t)task->digest_bits + 7) / 8 + REPORT_PIECE; i < sizeof report->digest; i++)
        HOLDS(report->digest[i] == 0);
    HOLDS(strnlen(report->counter_reason, TRIAL_TEXT) < TRIAL_TEXT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trial_report report;
    int ends[2];
    if (size < 4 || size > 2048)
        return 0;
    struct trial_task task = {
        .kind = data[0] & 1 ? TRIAL_TIMING : TRIAL_CALIBRATION,
        .digest_bits = 1 + data[1] * 16,
        .use_counter = data[0] & 2,
        .use_chain = data[0] & 4,
        .least_canary_ns = data[0] & 8 ? 1000 : 0,
        .plan = {.batches_per_trial = BATCHES, .calls_per_batch = CALLS},
        .tag = TAG,
    };
    send_honestly(&task);
    struct trial_truth truth = {0, (int64_t)(sent_count + 1) * STEP_NS, 0, 10000000, 1000};
    truth.reference_ticks = data[2] & 1 ? 3 * (uint64_t)truth.end_ns : 0;
    change(data + 4, size - 4);
    HOLDS(pipe2(ends, O_NONBLOCK) == 0);
    size_t bytes = sent_count * sizeof *sent - (data[3] == 1 ? 5 : 0);
    HOLDS(write(ends[1], sent, bytes) > 0);
    memset(&report, 0, sizeof report);
    char why[64] = "";
    const char *fault = report_read(ends[0], &task, &report);
    bool counter_lost = task.use_counter && !report.counter_works;
    HOLDS(fault == NULL || (fault[0] != '\0' && size > 4) || data[3] == 1);
    if (fault == NULL && !counter_lost && plausible_report(&task, &report, &truth, why, sizeof why))
        check(&task, &report, &truth);
    else
        HOLDS(fault != NULL || counter_lost || (why[0] != '\0' && size > 4));
    close(ends[0]);
    close(ends[1]);
    return 0;
}
