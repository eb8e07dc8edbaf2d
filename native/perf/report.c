#include "report.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECES_OF_DIGEST = (TRIAL_MAX_DIGEST_BITS / 8 + REPORT_PIECE - 1) / REPORT_PIECE,
    PIECES_OF_REASON = (TRIAL_TEXT + REPORT_PIECE - 1) / REPORT_PIECE,
    MOST_MESSAGES = 4 + PLAN_MAX_BATCHES + PIECES_OF_DIGEST + PIECES_OF_REASON
};

/* A message that doesn't fit into what is left of a page goes into the next one. */
static int pipe_bytes(void)
{
    long page = sysconf(_SC_PAGESIZE), fit = page / (long)sizeof(struct report_message);
    return (int)((MOST_MESSAGES + fit - 1) / fit * page);
}

int report_open(int ends[2], char *why, size_t capacity)
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        snprintf(why, capacity, "%s", strerror(errno));
        return -1;
    }
    /* A user who has many pipes gets small ones. */
    int wanted = pipe_bytes(), found = fcntl(ends[1], F_GETPIPE_SZ);
    if (found >= wanted || (found = fcntl(ends[1], F_SETPIPE_SZ, wanted)) >= wanted)
        return 0;
    snprintf(why, capacity,
             "the pipe for its report can't hold %d bytes: end programs that hold pipes, or raise "
             "fs.pipe-user-pages-soft",
             wanted);
    close(ends[0]);
    close(ends[1]);
    return -1;
}

bool report_send(int pipe, uint64_t tag, enum report_kind kind, struct report_message *message)
{
    static uint32_t sequence;
    message->tag = tag;
    message->sequence = sequence++;
    message->kind = kind;
    message->moment_ns = clock_now_ns();
    return write(pipe, message, sizeof *message) == (ssize_t)sizeof *message;
}

bool report_send_pieces(int pipe, uint64_t tag, enum report_kind kind, const void *data, size_t bytes)
{
    struct report_message message;
    for (size_t sent = 0; sent < bytes; sent += REPORT_PIECE) {
        size_t piece = bytes - sent < REPORT_PIECE ? bytes - sent : REPORT_PIECE;
        memset(&message, 0, sizeof message);
        memcpy(message.of.piece, (const char *)data + sent, piece);
        if (!report_send(pipe, tag, kind, &message))
            return false;
    }
    return true;
}

/* How many messages of each kind were read. */
struct count {
    size_t of[REPORT_END + 1];
};

/* How many of a kind there may be at most; all that the report has room for. */
static size_t most(enum report_kind kind, const struct trial_task *task)
{
    bool timing = task->kind == TRIAL_TIMING;
    switch (kind) {
    case REPORT_BEGUN: return timing ? 1 : 0;
    case REPORT_BATCH: return timing ? (size_t)task->plan.batches_per_trial : 1;
    case REPORT_REPEATS: return timing ? 0 : 1;
    case REPORT_DIGEST: return ((size_t)(task->digest_bits + 7) / 8 + REPORT_PIECE - 1) / REPORT_PIECE;
    case REPORT_REASON: return PIECES_OF_REASON;
    default: return 1;
    }
}

static void put_piece(void *field, size_t capacity, size_t number, const unsigned char *piece)
{
    size_t start = number * REPORT_PIECE;
    memcpy((char *)field + start, piece, capacity - start < REPORT_PIECE ? capacity - start : REPORT_PIECE);
}

static void put_batch(const struct report_message *message, size_t number, struct trial_report *report)
{
    report->batches[number] = message->of.batch.batch;
    report->canaries_ns[number + 1] = message->of.batch.canary_ns;
    report->untimed_ns[number + 1] = message->of.batch.untimed_ns;
    report->batch_moments_ns[number] = message->moment_ns;
}

static void put_begun(const struct report_message *message, struct trial_report *report)
{
    report->begun_ns = message->moment_ns;
    report->untimed_ns[0] = message->of.begun.untimed_ns;
    report->chain_before_ns = message->of.begun.chain_ns;
    report->canaries_ns[0] = message->of.begun.canary_ns;
    report->cpu_before = message->of.begun.cpu;
    report->memory_locked = message->of.begun.memory_locked != 0;
    report->realtime = message->of.begun.realtime != 0;
}

static void put_end(const struct report_message *message, struct trial_report *report)
{
    report->end_ns = message->moment_ns;
    report->end_untimed_ns = message->of.end.untimed_ns;
    report->chain_after_ns = message->of.end.chain_ns;
    report->clock_step_ns = message->of.end.clock_step_ns;
    report->frequency_khz = message->of.end.frequency_khz;
    report->cpu_after = message->of.end.cpu;
    report->counter_works = message->of.end.counter_works != 0;
    report->counter_pinned = message->of.end.counter_pinned != 0;
}

/* `number`: how many of its kind came before. */
static void put(const struct report_message *message, size_t number, struct trial_report *report)
{
    switch ((enum report_kind)message->kind) {
    case REPORT_READY:
        report->ready_ns = message->moment_ns;
        report->ready_cpu_ns = message->of.ready.cpu_ns;
        break;
    case REPORT_BEGUN: put_begun(message, report); break;
    case REPORT_BATCH: put_batch(message, number, report); break;
    case REPORT_REPEATS: report->repeats = message->of.repeats; break;
    case REPORT_DIGEST: put_piece(report->digest, sizeof report->digest, number, message->of.piece); break;
    case REPORT_REASON: put_piece(report->counter_reason, TRIAL_TEXT - 1, number, message->of.piece); break;
    case REPORT_END: put_end(message, report); break;
    }
}

/* All that the task asks for, unless the counter was lost, which ends a trial at once. */
static bool is_complete(const struct count *count, const struct trial_task *task, const struct trial_report *report)
{
    bool lost = task->use_counter && !report->counter_works;
    for (int kind = REPORT_READY; kind <= REPORT_END; kind++) {
        size_t wanted = most((enum report_kind)kind, task);
        bool may_be_fewer = kind == REPORT_REASON || (lost && kind != REPORT_READY && kind != REPORT_END);
        if (count->of[kind] != wanted && !may_be_fewer)
            return false;
    }
    return true;
}

const char *report_read(int pipe, const struct trial_task *task, struct trial_report *report)
{
    struct report_message message;
    struct count count = {{0}};
    uint32_t sequence = 0, kind = REPORT_READY;
    ssize_t got;
    while ((got = read(pipe, &message, sizeof message)) > 0) {
        if (got != (ssize_t)sizeof message)
            return "it has a message that is too short";
        if (count.of[REPORT_END] > 0)
            return "it goes on after its end";
        if (message.tag != task->tag || message.kind > REPORT_END)
            return "it has a message that the trial did not send";
        if (message.sequence != sequence++ || message.kind < kind)
            return "its messages are out of order";
        kind = message.kind;
        if (count.of[kind] == most((enum report_kind)kind, task))
            return "it has more messages than there can be";
        put(&message, count.of[kind]++, report);
    }
    return is_complete(&count, task, report) ? NULL : "it is not complete";
}
