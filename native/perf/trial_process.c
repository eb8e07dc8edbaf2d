/* The side of a trial that runs candidate code. */
#include "calibrate.h"
#include "caller.h"
#include "canary.h"
#include "clock.h"
#include "cpu.h"
#include "isolation.h"
#include "report.h"
#include "trial.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct trial_task task;
static struct progress *progress;
static struct caller caller = {.task = &task, .counter = -1, .tally = 1};
static int report_pipe;
static bool counter_pinned, realtime;
static int64_t clock_step;
static int64_t accounted_ns; /* thread's CPU time at which what was untimed began */

static void send(enum report_kind kind, struct report_message *message)
{
    if (!report_send(report_pipe, task.tag, kind, message))
        progress_stop(progress, OUTCOME_ERROR, "closed or filled the pipe for figures");
}

static void send_pieces(enum report_kind kind, const void *data, size_t bytes)
{
    if (!report_send_pieces(report_pipe, task.tag, kind, data, bytes))
        progress_stop(progress, OUTCOME_ERROR, "closed or filled the pipe for figures");
}

/* What the process did since it last asked, ns. */
static int64_t take_untimed(void)
{
    int64_t now = caller_thread_ns(), untimed_ns = now - accounted_ns;
    accounted_ns = now;
    return untimed_ns;
}

static void send_ready(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    accounted_ns = caller_thread_ns();
    struct report_message message = {.of.ready.cpu_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec};
    send(REPORT_READY, &message);
}

/* The end of a good trial, or of one that lost its counter. */
_Noreturn static void finish(int64_t chain_ns, int cpu, long frequency_khz)
{
    struct report_message message = {.of.end = {.chain_ns = chain_ns,
                                                .clock_step_ns = clock_step,
                                                .frequency_khz = frequency_khz,
                                                .cpu = cpu,
                                                .counter_works = caller.counter >= 0,
                                                .counter_pinned = counter_pinned}};
    if (caller.digest_known)
        send_pieces(REPORT_DIGEST, caller.digest, caller.guarded.bytes);
    if (caller.counter < 0)
        send_pieces(REPORT_REASON, caller.counter_reason, strlen(caller.counter_reason));
    message.of.end.untimed_ns = take_untimed();
    send(REPORT_END, &message);
    progress->stage = STAGE_FINISHED;
    _exit(0);
}

/* The message starts at its offset in a page of private memory. */
static void load_message(int input)
{
    size_t offset = (size_t)task.layout.message_offset;
    size_t room = offset + (task.message_bytes > 0 ? task.message_bytes : 1);
    unsigned char *message = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (message == MAP_FAILED || !guarded_make(&caller.guarded, (size_t)(task.digest_bits + 7) / 8, false))
        progress_stop(progress, OUTCOME_KILLED, "no memory for a message of %llu bytes",
                      (unsigned long long)task.message_bytes);
    caller.message = message += offset;
    for (size_t have = 0; have < task.message_bytes;) {
        ssize_t got = pread(input, message + have, task.message_bytes - have, (off_t)have);
        if (got <= 0)
            progress_stop(progress, OUTCOME_KILLED, "the message could not be read");
        have += (size_t)got;
    }
}

/* Priority is taken, and the right to lock memory, before the sandbox takes privileges away. */
static void enter_sandbox(void)
{
    struct sandbox_needs needs = {
        .library = task.library, .seconds = task.limit_seconds, .kept = {caller.counter, report_pipe}};
    realtime = task.realtime && isolation_take_realtime();
    if (task.lock_memory)
        isolation_raise_memory_limit();
    sandbox_enter(&task.sandbox, &needs, progress);
}

static int64_t canary(void)
{
    return task.least_canary_ns > 0 ? canary_run_ns() : 0;
}

/* Before the first batch. */
static void begin(void)
{
    struct report_message message = {0};
    struct trial_batch untimed;
    for (int call = 0; call < task.plan.warmup_calls; call++)
        caller_run(&caller, caller_loop_plain, 1, &untimed);
    message.of.begun.memory_locked = task.lock_memory && isolation_lock_memory();
    message.of.begun.realtime = realtime;
    if (task.use_chain)
        message.of.begun.chain_ns = clock_chain_ns();
    message.of.begun.cpu = sched_getcpu();
    canary(); /* its first run is not the one that counts */
    message.of.begun.canary_ns = canary();
    message.of.begun.untimed_ns = take_untimed();
    send(REPORT_BEGUN, &message);
}

/* The untimed call before it, the batch, the canary behind it. */
static void run_batch(void)
{
    struct report_message message = {0};
    struct trial_batch untimed = {0};
    if (plan_untimed(&task.plan) > 0)
        caller_run(&caller, caller_loop_plain, 1, &untimed);
    caller_run(&caller, caller_loop_plain, task.plan.calls_per_batch, &message.of.batch.batch);
    accounted_ns = caller_thread_ns();
    message.of.batch.canary_ns = canary();
    message.of.batch.untimed_ns = untimed.cpu_ns + take_untimed();
    if (task.use_counter && caller.counter < 0)
        finish(0, 0, -1); /* the supervisor starts again with another source */
    send(REPORT_BATCH, &message);
}

static void time_trial(void)
{
    begin();
    for (int i = 0; i < task.plan.batches_per_trial; i++)
        run_batch();
    int cpu = sched_getcpu();
    accounted_ns = caller_thread_ns();
    finish(task.use_chain ? clock_chain_ns() : 0, cpu, cpu_frequency_khz(task.cpu));
}

static void calibrate_library(void)
{
    struct report_message message = {0}, repeats = {0};
    struct trial_batch best;
    calibrate(&caller, &best, &clock_step);
    message.of.batch.batch = best;
    send(REPORT_BATCH, &message);
    calibrate_repeats(&caller, &best, &repeats.of.repeats);
    send(REPORT_REPEATS, &repeats);
    finish(0, sched_getcpu(), -1);
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
    regions[0] = caller.guarded.guards[0];
    regions[1] = caller.guarded.guards[1];
    regions[2] = forbidden_stack();
    progress_watch(progress, regions, 3);
}

static int open_counter(void)
{
    bool pinned;
    int opened = counter_open(task.cpu, &pinned, caller.counter_reason, sizeof caller.counter_reason);
    counter_pinned = opened >= 0 && pinned;
    return opened;
}

/* Takes what the process needs from the shared file, where nothing but the progress is left. */
static bool take_task(int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_size != (off_t)sizeof(struct trial_exchange))
        return false;
    struct trial_exchange *exchange =
        mmap(NULL, sizeof *exchange, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (exchange == MAP_FAILED)
        return false;
    task = exchange->task;
    memset(&exchange->task, 0, sizeof exchange->task);
    caller.progress = progress = &exchange->progress;
    return close(file) == 0;
}

/* Moves the pipe to a number that isn't the one that a library would try first. */
static int hide(int pipe)
{
    enum { LOWEST = 64, SPAN = 512 };
    uint16_t number = 0;
    getrandom(&number, sizeof number, 0);
    int hidden = fcntl(pipe, F_DUPFD_CLOEXEC, LOWEST + number % SPAN);
    if (hidden < 0)
        return pipe;
    close(pipe);
    return hidden;
}

int trial_process(int exchange, int input, int report)
{
    if (!take_task(exchange))
        return 2;
    report_pipe = hide(report);
    if (!cpu_pin(task.cpu))
        return TRIAL_NOT_PINNED;
    load_message(input);
    watch_regions();
    if (task.kind == TRIAL_CALIBRATION || task.use_counter)
        caller.counter = open_counter();
    enter_sandbox();
    child_ready();
    send_ready();
    if (task.use_counter && caller.counter < 0)
        finish(0, 0, -1);
    char why[sizeof progress->reason];
    caller.hash = library_open(task.library, why, sizeof why);
    if (caller.hash == NULL)
        progress_stop(progress, OUTCOME_ERROR, "%s", why);
    progress->stage = STAGE_CALLING;
    if (task.kind == TRIAL_CALIBRATION)
        calibrate_library();
    layout_call_deeper(&task.layout, time_trial);
    return 2; /* never */
}
