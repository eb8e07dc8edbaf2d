/* A report passes through its pipe as it was sent; whatever else lies there is refused. */
#include "report.h"

#include "check.h"

#include <fcntl.h>
#include <unistd.h>

enum { BATCHES = 2, TAG = 7 };

static struct trial_task task;
static struct trial_report report;
static struct report_message sent[16];
static int count;

static void add(enum report_kind kind)
{
    sent[count] = (struct report_message){.tag = TAG, .sequence = (uint32_t)count, .kind = kind, .moment_ns = 100 + count};
    count++;
}

/* A trial with a digest of 2 pieces. */
static void put_good(enum trial_kind kind)
{
    task = (struct trial_task){.kind = kind, .tag = TAG, .digest_bits = 8 * REPORT_PIECE + 8, .plan = {3, 1000, BATCHES}};
    count = 0;
    add(REPORT_READY);
    if (kind == TRIAL_TIMING)
        add(REPORT_BEGUN);
    for (int i = 0; i < (kind == TRIAL_TIMING ? BATCHES : 1); i++)
        add(REPORT_BATCH);
    if (kind == TRIAL_CALIBRATION)
        add(REPORT_REPEATS);
    add(REPORT_DIGEST);
    add(REPORT_DIGEST);
    add(REPORT_END);
    sent[count - 1].of.end.counter_works = 2;
}

/* What report_read says of these bytes; "" where nothing is wrong. */
static const char *read_bytes(const void *data, size_t bytes)
{
    int ends[2];
    char why[256];
    memset(&report, 0, sizeof report);
    CHECK(report_open(ends, why, sizeof why) == 0);
    CHECK(write(ends[1], data, bytes) == (ssize_t)bytes);
    const char *fault = report_read(ends[0], &task, &report);
    close(ends[0]);
    close(ends[1]);
    return fault != NULL ? fault : "";
}

static const char *read_sent(void)
{
    return read_bytes(sent, (size_t)count * sizeof *sent);
}

static void what_is_sent_arrives(void)
{
    put_good(TRIAL_TIMING);
    sent[3].of.batch.batch.elapsed_ns = 5;
    sent[3].of.batch.canary_ns = 6;
    sent[5].of.piece[0] = 9;
    CHECK_TEXT(read_sent(), "");
    CHECK(report.ready_ns == 100 && report.begun_ns == 101 && report.batch_moments_ns[1] == 103 && report.end_ns == 106);
    CHECK(report.batches[1].elapsed_ns == 5 && report.canaries_ns[2] == 6 && report.digest[REPORT_PIECE] == 9);
    CHECK(report.counter_works);
    put_good(TRIAL_CALIBRATION);
    sent[2].of.repeats.tries = 4;
    CHECK_TEXT(read_sent(), "");
    CHECK(report.repeats.tries == 4);
}

static void without_one(void)
{
    for (int kind = TRIAL_CALIBRATION; kind <= TRIAL_TIMING; kind++) {
        put_good((enum trial_kind)kind);
        for (int gone = 0, all = count; gone < all; gone++) {
            put_good((enum trial_kind)kind);
            memmove(&sent[gone], &sent[gone + 1], (size_t)(count - gone - 1) * sizeof *sent);
            count--;
            CHECK_TEXT(read_sent(), gone < count ? "its messages are out of order" : "it is not complete");
            for (int i = 0; i < count; i++) /* mended by somebody who knows how */
                sent[i].sequence = (uint32_t)i;
            CHECK_TEXT(read_sent(), "it is not complete");
        }
    }
}

static void with_one_twice(void)
{
    for (int twice = 0; twice < 7; twice++) {
        put_good(TRIAL_TIMING);
        memmove(&sent[twice + 1], &sent[twice], (size_t)(count - twice) * sizeof *sent);
        count++;
        CHECK_TEXT(read_sent(), twice == 6 ? "it goes on after its end" : "its messages are out of order");
        for (int i = 0; i < count; i++)
            sent[i].sequence = (uint32_t)i;
        CHECK_TEXT(read_sent(), twice == 6 ? "it goes on after its end" : "it has more messages than there can be");
    }
}

static void damaged(void)
{
    static const uint32_t kinds[] = {REPORT_END + 1, UINT32_MAX};
    CHECK_TEXT(read_bytes("", 0), "it is not complete");
    put_good(TRIAL_TIMING);
    for (size_t bytes = 1; bytes < sizeof *sent; bytes += 7)
        CHECK_TEXT(read_bytes(sent, 3 * sizeof *sent + bytes), "it has a message that is too short");
    sent[2].tag++;
    CHECK_TEXT(read_sent(), "it has a message that the trial did not send");
    for (size_t i = 0; i < 2; i++) {
        put_good(TRIAL_TIMING);
        sent[2].kind = kinds[i];
        CHECK_TEXT(read_sent(), "it has a message that the trial did not send");
    }
    put_good(TRIAL_TIMING);
    sent[3].kind = REPORT_BEGUN;
    CHECK_TEXT(read_sent(), "its messages are out of order");
    sent[3].kind = REPORT_REPEATS; /* only calibrations try them */
    CHECK_TEXT(read_sent(), "it has more messages than there can be");
}

static void a_lost_counter_ends_a_trial(void)
{
    put_good(TRIAL_TIMING);
    task.use_counter = true;
    count = 0;
    add(REPORT_READY);
    for (int i = 0; i < TRIAL_TEXT / REPORT_PIECE; i++) {
        add(REPORT_REASON);
        memset(sent[count - 1].of.piece, 'x', REPORT_PIECE);
    }
    add(REPORT_END);
    CHECK_TEXT(read_sent(), "");
    CHECK(!report.counter_works && strlen(report.counter_reason) == TRIAL_TEXT - 1);
    sent[count - 1].of.end.counter_works = 1;
    CHECK_TEXT(read_sent(), "it is not complete");
}

/* The longest report fits, and its process never waits. */
static void the_pipe_is_large_enough(void)
{
    int ends[2];
    char why[256];
    struct report_message message = {0};
    unsigned char digest[TRIAL_MAX_DIGEST_BITS / 8] = {0};
    task = (struct trial_task){.kind = TRIAL_TIMING, .tag = TAG, .digest_bits = TRIAL_MAX_DIGEST_BITS,
                               .plan = {3, 1, PLAN_MAX_BATCHES}};
    CHECK(report_open(ends, why, sizeof why) == 0);
    CHECK(report_send(ends[1], TAG, REPORT_READY, &message) && report_send(ends[1], TAG, REPORT_BEGUN, &message));
    for (int i = 0; i < PLAN_MAX_BATCHES; i++)
        CHECK(report_send(ends[1], TAG, REPORT_BATCH, &message));
    CHECK(report_send_pieces(ends[1], TAG, REPORT_DIGEST, digest, sizeof digest));
    CHECK(report_send_pieces(ends[1], TAG, REPORT_REASON, why, TRIAL_TEXT / 2));
    CHECK(report_send(ends[1], TAG, REPORT_END, &message));
    CHECK(report_read(ends[0], &task, &report) == NULL);
    int written = 0;
    while (report_send(ends[1], TAG, REPORT_END, &message))
        written++;
    CHECK(written > PLAN_MAX_BATCHES);
    close(ends[0]);
    close(ends[1]);
    CHECK(!report_send(ends[1], TAG, REPORT_END, &message));
}

int main(void)
{
    what_is_sent_arrives();
    without_one();
    with_one_twice();
    damaged();
    a_lost_counter_ends_a_trial();
    the_pipe_is_large_enough();
    return failures != 0;
}
