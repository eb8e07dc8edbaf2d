/* The side of a trial that runs candidate code. */
#include "clock.h"
#include "cpu.h"
#include "library.h"
#include "guarded.h"
#include "trial.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct trial_task *task;
static struct trial_report *report;
static struct guarded guarded;
static unsigned char *message;
static crypt_hash *hash;
static int counter = -1;
static bool digest_known;

_Noreturn static void finish(void)
{
    report->progress.stage = STAGE_FINISHED;
    _exit(0);
}

/* The message starts a page of private memory. */
static void load_message(int input)
{
    size_t room = task->message_bytes > 0 ? task->message_bytes : 1;
    message = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (message == MAP_FAILED || !guarded_make(&guarded, (size_t)(task->digest_bits + 7) / 8, false))
        progress_stop(&report->progress, OUTCOME_KILLED, "no memory for a message of %llu bytes",
                      (unsigned long long)task->message_bytes);
    for (size_t have = 0; have < task->message_bytes;) {
        ssize_t got = pread(input, message + have, task->message_bytes - have, (off_t)have);
        if (got <= 0)
            progress_stop(&report->progress, OUTCOME_KILLED, "the message could not be read");
        have += (size_t)got;
    }
}

/* The loop that is timed. */
__attribute__((noinline, aligned(64))) static int call_repeatedly(crypt_hash *function, int digest_bits,
                                                                  const unsigned char *input,
                                                                  unsigned long long message_bits,
                                                                  unsigned char *digest, uint64_t calls)
{
    int returned = 0;
    for (; calls > 0; calls--)
        returned |= function(digest_bits, input, message_bits, digest);
    return returned;
}

static void check(uint64_t calls, int returned)
{
    if (returned != 0)
        progress_stop(&report->progress, OUTCOME_ERROR, calls == 1 ? "returned %d" : "did not return 0 (ORed: %d)",
                      returned);
    const char *harm = guarded_harm(&guarded);
    if (harm != NULL)
        progress_stop(&report->progress, OUTCOME_OVERFLOW, "%s", harm);
    if (!digest_known)
        memcpy(report->digest, guarded.digest, guarded.bytes);
    else if (memcmp(report->digest, guarded.digest, guarded.bytes) != 0)
        progress_stop(&report->progress, OUTCOME_UNSTABLE, "gave two digests for one message");
    digest_known = true;
}

/* Times `calls` calls, then checks what they did. */
static void run_batch(uint64_t calls, struct trial_batch *batch)
{
    struct counter_reading before = {0}, after = {0};
    batch->calls = calls;
    memset(guarded.digest, 0, guarded.bytes);
    bool counted = counter < 0 || counter_read(counter, &before);
    uint64_t ticks = clock_reference_ticks();
    int64_t start = clock_now_ns();
    int returned =
        call_repeatedly(hash, task->digest_bits, message, task->message_bytes * 8, guarded.digest, calls);
    batch->elapsed_ns = clock_now_ns() - start;
    batch->reference_ticks = clock_reference_ticks() - ticks;
    if (counter >= 0)
        counted = counter_read(counter, &after) && counted && counter_difference(&before, &after, &batch->counted);
    check(calls, returned);
    if (!counted) {
        report->counter_works = false;
        strcpy(report->counter_reason, "the cycle counter opened, then did not count in a batch of calls");
        if (task->use_counter)
            finish(); /* the supervisor starts again with another source */
    }
}

/* Doubles a batch until the clock resolves it, and keeps the fastest of a few such batches: a single call would be
 * judged by its page faults, tables and cold caches. */
static void calibrate(void)
{
    struct trial_batch *best = &report->batches[0], batch;
    report->clock_step_ns = clock_step_ns();
    int64_t enough = report->clock_step_ns > 1000 ? 1000 * report->clock_step_ns : 1000000;
    run_batch(1, best);
    if (plan_warmup((double)best->elapsed_ns) == 0)
        return;
    uint64_t calls = 1;
    for (run_batch(calls, best); best->elapsed_ns < enough && calls < UINT64_C(1) << 40; run_batch(calls, best))
        calls *= 2;
    for (int again = 0; again < 2 && best->elapsed_ns < 10 * enough; again++) {
        run_batch(calls, &batch);
        if (batch.elapsed_ns < best->elapsed_ns)
            *best = batch;
    }
}

static void time_trial(void)
{
    struct trial_batch warmup;
    struct rusage before, after;
    for (int call = 0; call < task->plan.warmup_calls; call++)
        run_batch(1, &warmup);
    if (task->use_chain)
        report->chain_before_ns = clock_chain_ns();
    report->cpu_before = sched_getcpu();
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < task->plan.batches_per_trial; i++)
        run_batch(plan_batch_calls(&task->plan, i), &report->batches[i]);
    getrusage(RUSAGE_SELF, &after);
    report->cpu_after = sched_getcpu();
    if (task->use_chain)
        report->chain_after_ns = clock_chain_ns();
    report->frequency_khz = cpu_frequency_khz(task->cpu);
    report->voluntary_switches = after.ru_nvcsw - before.ru_nvcsw;
    report->involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
    report->minor_faults = after.ru_minflt - before.ru_minflt;
    report->major_faults = after.ru_majflt - before.ru_majflt;
}

int trial_process(int exchange_file, int input)
{
    struct stat status;
    if (fstat(exchange_file, &status) != 0 || status.st_size != (off_t)sizeof(struct trial_exchange))
        return 2;
    struct trial_exchange *exchange =
        mmap(NULL, sizeof *exchange, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, exchange_file, 0);
    if (exchange == MAP_FAILED)
        return 2;
    static struct trial_task own_task; /* candidate code can write to the shared one */
    own_task = exchange->task;
    task = &own_task;
    report = &exchange->report;
    if (!cpu_pin(task->cpu))
        return TRIAL_NOT_PINNED;
    report->pinned = true;
    load_message(input);
    progress_watch(&report->progress, guarded.guards, 2);
    if (task->kind == TRIAL_CALIBRATION || task->use_counter)
        counter = counter_open(task->cpu, report->counter_reason, sizeof report->counter_reason);
    report->counter_works = counter >= 0;
    if (task->use_counter && counter < 0)
        finish();
    char why[sizeof report->progress.reason];
    hash = library_open(task->library, why, sizeof why);
    if (hash == NULL)
        progress_stop(&report->progress, OUTCOME_ERROR, "%s", why);
    report->progress.stage = STAGE_CALLING;
    if (task->kind == TRIAL_CALIBRATION)
        calibrate();
    else
        time_trial();
    finish();
}
