/* The side of a trial that runs candidate code. */
#include "canary.h"
#include "clock.h"
#include "cpu.h"
#include "guarded.h"
#include "isolation.h"
#include "library.h"
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

/* The message starts at its offset in a page of private memory. */
static void load_message(int input)
{
    size_t offset = (size_t)task->layout.message_offset;
    size_t room = offset + (task->message_bytes > 0 ? task->message_bytes : 1);
    message = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (message == MAP_FAILED || !guarded_make(&guarded, (size_t)(task->digest_bits + 7) / 8, false))
        progress_stop(&report->progress, OUTCOME_KILLED, "no memory for a message of %llu bytes",
                      (unsigned long long)task->message_bytes);
    message += offset;
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

static int64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct trial_events events_so_far(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct trial_events){usage.ru_nvcsw, usage.ru_nivcsw, usage.ru_minflt, usage.ru_majflt};
}

static struct trial_events events_since(struct trial_events before)
{
    struct trial_events now = events_so_far();
    return (struct trial_events){now.voluntary_switches - before.voluntary_switches,
                                 now.involuntary_switches - before.involuntary_switches,
                                 now.minor_faults - before.minor_faults, now.major_faults - before.major_faults};
}

static void lose_counter(const char *fault)
{
    report->counter_works = false;
    snprintf(report->counter_reason, sizeof report->counter_reason,
             "the cycle counter opened, then %s in a batch of calls", fault);
    if (task->use_counter)
        finish(); /* the supervisor starts again with another source */
}

/* Times `calls` calls, then checks what they did. */
static void run_batch(uint64_t calls, struct trial_batch *batch)
{
    struct counter_reading before = {0}, after = {0};
    batch->calls = calls;
    memset(guarded.digest, 0, guarded.bytes);
    struct trial_events events = events_so_far();
    int64_t thread = thread_ns();
    bool answers = counter < 0 || counter_read(counter, &before);
    struct clock_moment start = clock_moment_now();
    int returned =
        call_repeatedly(hash, task->digest_bits, message, task->message_bytes * 8, guarded.digest, calls);
    struct clock_moment end = clock_moment_now();
    batch->elapsed_ns = end.ns - start.ns;
    batch->reference_ticks = end.ticks - start.ticks;
    const char *fault = NULL;
    if (counter >= 0) {
        answers = counter_read(counter, &after) && answers;
        fault = answers ? counter_difference(&before, &after, batch->elapsed_ns, &batch->counted) : "did not answer";
    }
    batch->cpu_ns = thread_ns() - thread;
    batch->cpu = sched_getcpu();
    batch->events = events_since(events);
    check(calls, returned);
    if (fault != NULL)
        lose_counter(fault);
}

/* Never less than a call took: the clock may be a step behind. */
static double most_ns_per_call(const struct trial_batch *batch)
{
    return (double)(batch->elapsed_ns + report->clock_step_ns) / (double)batch->calls;
}

/* Keeps in *best the batch with the fastest calls: whatever disturbs a batch makes it longer. */
static void try_batch(uint64_t calls, struct trial_batch *best)
{
    struct trial_batch batch;
    run_batch(calls, &batch);
    if (most_ns_per_call(&batch) < most_ns_per_call(best))
        *best = batch;
}

/* False where the canary says that the batch just tried, or its end, was disturbed. */
static bool was_quiet(void)
{
    return task->least_canary_ns == 0 || !canary_is_disturbed(canary_run_ns(), task->least_canary_ns);
}

/* Doubles a batch until the clock resolves it; then tries such batches, short enough to fall between disturbances,
 * until enough of them were quiet. The first call, with its page faults, tables and cold caches, is judged alone only
 * where more calls would take too long. */
static void calibrate(void)
{
    enum { QUIET_BATCHES = 3, LEAST_BATCHES = 10 };
    static const double SPENT_NS = 500e6;
    struct trial_batch *best = &report->batches[0];
    report->clock_step_ns = clock_step_ns();
    double enough_ns = report->clock_step_ns > 100 ? 1000 * (double)report->clock_step_ns : 100e3;
    run_batch(1, best);
    if (plan_warmup((double)best->elapsed_ns) == 0 || best->elapsed_ns > task->share_ns)
        return;
    uint64_t calls = 1;
    try_batch(calls, best);
    while ((double)calls * most_ns_per_call(best) < enough_ns && calls < UINT64_C(1) << 40)
        try_batch(calls *= 2, best);
    int64_t start = clock_now_ns();
    bool quiet = was_quiet();
    for (int tried = 0, found = 0; tried < LEAST_BATCHES || found < QUIET_BATCHES; tried++) {
        if ((double)(clock_now_ns() - start) > SPENT_NS)
            break;
        try_batch(calls, best);
        bool quiet_before = quiet;
        quiet = was_quiet();
        found += quiet_before && quiet;
    }
}

/* Priority is taken, and the right to lock memory, before the sandbox takes privileges away. */
static void enter_sandbox(void)
{
    struct sandbox_needs needs = {.library = task->library, .seconds = task->limit_seconds, .kept = {counter}};
    report->realtime = task->realtime && isolation_take_realtime();
    if (task->lock_memory)
        isolation_raise_memory_limit();
    sandbox_enter(&task->sandbox, &needs, &report->progress);
}

static void run_canary(int index)
{
    if (task->least_canary_ns > 0)
        report->canaries_ns[index] = canary_run_ns();
}

static void time_trial(void)
{
    struct trial_batch untimed;
    for (int call = 0; call < task->plan.warmup_calls; call++)
        run_batch(1, &untimed);
    report->memory_locked = task->lock_memory && isolation_lock_memory();
    if (task->use_chain)
        report->chain_before_ns = clock_chain_ns();
    report->cpu_before = sched_getcpu();
    run_canary(0); /* its first run is not the one that counts */
    run_canary(0);
    for (int i = 0; i < task->plan.batches_per_trial; i++) {
        for (int call = 0; call < plan_untimed(&task->plan); call++)
            run_batch(1, &untimed);
        run_batch(task->plan.calls_per_batch, &report->batches[i]);
        run_canary(i + 1);
    }
    report->cpu_after = sched_getcpu();
    if (task->use_chain)
        report->chain_after_ns = clock_chain_ns();
    report->frequency_khz = cpu_frequency_khz(task->cpu);
}

/* What the stack's limit forbids, to a fault: it grows by itself everywhere else. As with other stacks, a frame of up to
 * 16 MiB that goes beyond the limit is recognised. */
static struct region forbidden_stack(void)
{
    static char reason[64];
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    snprintf(reason, sizeof reason, "used up its stack of %llu MiB", (unsigned long long)limit.rlim_cur >> 20);
    uintptr_t here = (uintptr_t)&limit, lowest = here - limit.rlim_cur - (16 << 20);
    return (struct region){(unsigned char *)lowest, (unsigned char *)here, OUTCOME_CRASH, reason};
}

static void watch_regions(void)
{
    static struct region regions[3];
    regions[0] = guarded.guards[0];
    regions[1] = guarded.guards[1];
    regions[2] = forbidden_stack();
    progress_watch(&report->progress, regions, 3);
}

static int open_counter(void)
{
    bool pinned;
    int opened = counter_open(task->cpu, &pinned, report->counter_reason, sizeof report->counter_reason);
    report->counter_pinned = opened >= 0 && pinned;
    return opened;
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
    load_message(input);
    watch_regions();
    if (task->kind == TRIAL_CALIBRATION || task->use_counter)
        counter = open_counter();
    enter_sandbox();
    child_ready();
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
        layout_call_deeper(&task->layout, time_trial);
    finish();
}
