#include "calibrate.h"

#include "canary.h"
#include "clock.h"

#include <string.h>
#include <sys/mman.h>

/* A batch lasts so long at least, for the clock to resolve it, ns. */
static double enough_ns(int64_t clock_step_ns)
{
    return clock_step_ns > 100 ? 1000 * (double)clock_step_ns : 100e3;
}

/* Never less than a call took: the clock may be a step behind. */
static double most_ns_per_call(const struct trial_batch *batch, int64_t clock_step_ns)
{
    return (double)(batch->elapsed_ns + clock_step_ns) / (double)batch->calls;
}

/* Keeps in *best the batch with the fastest calls: whatever disturbs a batch makes it longer. */
static void try_batch(struct caller *caller, uint64_t calls, int64_t step_ns, struct trial_batch *best)
{
    struct trial_batch batch;
    caller_run(caller, caller_loop_plain, calls, &batch);
    if (most_ns_per_call(&batch, step_ns) < most_ns_per_call(best, step_ns))
        *best = batch;
}

/* False where the canary says that the batch just tried, or its end, was disturbed. */
static bool was_quiet(const struct trial_task *task)
{
    return task->least_canary_ns == 0 || !canary_is_disturbed(canary_run_ns(), task->least_canary_ns);
}

/* Tries batches, short enough to fall between disturbances, until enough of them were quiet. */
static void find_quiet(struct caller *caller, uint64_t calls, int64_t step_ns, struct trial_batch *best)
{
    enum { QUIET_BATCHES = 3, LEAST_BATCHES = 10 };
    static const double SPENT_NS = 500e6;
    int64_t start = clock_now_ns();
    bool quiet = was_quiet(caller->task);
    for (int tried = 0, found = 0; tried < LEAST_BATCHES || found < QUIET_BATCHES; tried++) {
        if ((double)(clock_now_ns() - start) > SPENT_NS)
            break;
        try_batch(caller, calls, step_ns, best);
        bool quiet_before = quiet;
        quiet = was_quiet(caller->task);
        found += quiet_before && quiet;
    }
}

/* A second message, and its last byte; and what the library answered to it before it was called often. */
static unsigned char *other, *last, answered[TRIAL_MAX_DIGEST_BITS / 8];

/* It starts at a page, as the message does. */
static bool make_other(const struct caller *caller)
{
    size_t bytes = caller->task->message_bytes;
    if (bytes == 0 || bytes > CALIBRATE_MOST_BYTES)
        return false;
    unsigned char *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return false;
    other = memcpy(made, caller->message, bytes);
    last = other + bytes - 1;
    return true;
}

/* Leaves the digest of the second message, of which there is one a last byte; always the same one here. */
static void call_other(struct caller *caller)
{
    *last = (unsigned char)(caller->message[caller->task->message_bytes - 1] + 1);
    memset(caller->guarded.digest, 0, caller->guarded.bytes);
    caller->hash(caller->task->digest_bits, other, caller->task->message_bytes * 8, caller->guarded.digest);
}

/* A library may answer as it should while it is verified, and then, called with one message again and again, answer all
 * others with what it has at hand, so that they cost no more. */
static void check_other(struct caller *caller)
{
    call_other(caller);
    if (memcmp(answered, caller->guarded.digest, caller->guarded.bytes) != 0)
        progress_stop(caller->progress, OUTCOME_UNSTABLE, "gave two digests for one message once it was called often");
}

/* Doubles a batch until the clock resolves it, then tries such batches. The first call, with its page faults, tables and
 * cold caches, is judged alone only where more calls would take too long. */
void calibrate(struct caller *caller, struct trial_batch *best, int64_t *clock_step)
{
    int64_t step_ns = *clock_step = clock_step_ns();
    caller_run(caller, caller_loop_plain, 1, best);
    if (plan_warmup((double)best->elapsed_ns) == 0 || best->elapsed_ns > caller->task->share_ns)
        return;
    if (make_other(caller)) {
        call_other(caller);
        memcpy(answered, caller->guarded.digest, caller->guarded.bytes);
    }
    uint64_t calls = 1;
    try_batch(caller, calls, step_ns, best);
    while ((double)calls * most_ns_per_call(best, step_ns) < enough_ns(step_ns) && calls < UINT64_C(1) << 40)
        try_batch(caller, calls *= 2, step_ns, best);
    find_quiet(caller, calls, step_ns, best);
}

/* Both kinds of calls take this one way, so that nothing but the messages tells them apart. `step` is added to the last
 * byte of the second message before each of its calls: a library may remember more answers than one. */
__attribute__((noinline, aligned(64))) static int call_in_turns(struct caller *caller, uint64_t calls,
                                                                const unsigned char *second, unsigned char *byte,
                                                                unsigned step)
{
    unsigned long long bits = caller->task->message_bytes * 8;
    int returned = 0, digest_bits = caller->task->digest_bits;
    unsigned value = *byte;
    uint64_t tally = caller->tally;
    for (; calls > 0; calls -= 2) {
        *byte = (unsigned char)(value += step);
        returned |= caller->hash(digest_bits, second, bits, caller->guarded.digest);
        tally *= CALLER_FACTOR;
        returned |= caller->hash(digest_bits, caller->message, bits, caller->guarded.digest);
        tally *= CALLER_FACTOR;
    }
    caller->tally = tally;
    return returned;
}

static int loop_with_one(struct caller *caller, uint64_t calls)
{
    return call_in_turns(caller, calls, caller->message, caller->message + caller->task->message_bytes - 1, 0);
}

static int loop_with_others(struct caller *caller, uint64_t calls)
{
    return call_in_turns(caller, calls, other, last, 1);
}

static double cost(const struct trial_repeats *try)
{
    return ((double)try->alternating_ns / (double)try->alternating_calls) /
           ((double)try->plain_ns / (double)try->plain_calls);
}

/* One try, put in its place among those so far, the cheapest first. */
static void try_repeats(struct caller *caller, uint64_t plain_calls, uint64_t calls, struct trial_repeats *tries,
                        unsigned before)
{
    struct trial_batch plain, alternating;
    caller_run(caller, loop_with_one, plain_calls, &plain);
    caller_run(caller, loop_with_others, calls, &alternating);
    int64_t plain_ns = trial_cpu_ns(&plain);
    struct trial_repeats now = {plain_calls, calls, plain_ns > 0 ? plain_ns : 1, trial_cpu_ns(&alternating), 0};
    unsigned place = before;
    for (; place > 0 && cost(&tries[place - 1]) > cost(&now); place--)
        tries[place] = tries[place - 1];
    tries[place] = now;
}

/* As many calls as the clock resolves, which are few where other messages cost far more. Twice, as whatever disturbs a
 * batch of too few makes it longer. */
static uint64_t alternating_calls(struct caller *caller, uint64_t most, int64_t step_ns)
{
    uint64_t calls = 2;
    for (int resolved = 0; resolved < 2 && 2 * calls <= most;) {
        struct trial_batch batch;
        caller_run(caller, loop_with_others, calls, &batch);
        bool is_enough = (double)trial_cpu_ns(&batch) >= enough_ns(step_ns);
        calls = is_enough ? calls : 2 * calls;
        resolved = is_enough ? resolved + 1 : 0;
    }
    return calls;
}

/* The median of tries: a disturbance that lasts takes from both sides of a try, one that begins, ends or is short spoils
 * one try. */
void calibrate_repeats(struct caller *caller, const struct trial_batch *best, struct trial_repeats *repeats)
{
    enum { LEAST_TRIES = 3, MOST_TRIES = 30 };
    /* Above the first there are more tries than the least, above the second also beyond the time allowed. */
    static const double USUAL = 1.2, SUSPICIOUS = 1.4, LONGER = 4;
    const struct trial_task *task = caller->task;
    double call_ns = (double)best->elapsed_ns / (double)best->calls, allowed_ns = (double)task->repeats_ns;
    if (other == NULL || call_ns * 4 * LEAST_TRIES > allowed_ns)
        return;
    int64_t start = caller_thread_ns();
    uint64_t plain_calls = best->calls > 1 ? best->calls / 2 * 2 : 2;
    uint64_t calls = alternating_calls(caller, plain_calls, clock_step_ns());
    struct trial_repeats tries[MOST_TRIES];
    unsigned count = 0;
    double usual;
    do {
        try_repeats(caller, plain_calls, calls, tries, count++);
        usual = cost(&tries[(count - 1) / 2]);
    } while (count < LEAST_TRIES ||
             (usual > USUAL && count < MOST_TRIES &&
              (double)(caller_thread_ns() - start) < allowed_ns * (usual > SUSPICIOUS ? LONGER : 1)));
    *repeats = tries[(count - 1) / 2];
    repeats->tries = count;
    check_other(caller);
}
