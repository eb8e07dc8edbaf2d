#include "caller.h"

#include "clock.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Its own function, so that every build of the driver has the same loop. */
__attribute__((noinline, aligned(64))) int caller_loop_plain(struct caller *caller, uint64_t calls)
{
    crypt_hash *function = caller->hash;
    const unsigned char *input = caller->message;
    unsigned char *digest = caller->guarded.digest;
    unsigned long long message_bits = caller->task->message_bytes * 8;
    int returned = 0, digest_bits = caller->task->digest_bits;
    uint64_t tally = caller->tally;
    for (; calls > 0; calls--, tally *= CALLER_FACTOR)
        returned |= function(digest_bits, input, message_bits, digest);
    caller->tally = tally;
    return returned;
}

uint64_t caller_tally_after(uint64_t tally, uint64_t calls)
{
    for (uint64_t factor = CALLER_FACTOR; calls > 0; calls >>= 1, factor *= factor)
        tally *= calls & 1 ? factor : 1;
    return tally;
}

static void check(struct caller *caller, uint64_t calls, int returned)
{
    if (returned != 0)
        progress_stop(caller->progress, OUTCOME_ERROR, calls == 1 ? "returned %d" : "did not return 0 (ORed: %d)",
                      returned);
    const struct guarded *guarded = &caller->guarded;
    const char *harm = guarded_harm(guarded);
    if (harm != NULL)
        progress_stop(caller->progress, OUTCOME_OVERFLOW, "%s", harm);
    if (!caller->digest_known)
        memcpy(caller->digest, guarded->digest, guarded->bytes);
    else if (memcmp(caller->digest, guarded->digest, guarded->bytes) != 0)
        progress_stop(caller->progress, OUTCOME_UNSTABLE, "gave two digests for one message");
    caller->digest_known = true;
}

int64_t caller_thread_ns(void)
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

static void lose_counter(struct caller *caller, const char *fault)
{
    snprintf(caller->counter_reason, sizeof caller->counter_reason,
             "the cycle counter opened, then %s in a batch of calls", fault);
    close(caller->counter);
    caller->counter = -1;
}

void caller_run(struct caller *caller, caller_loop *loop, uint64_t calls, struct trial_batch *batch)
{
    struct counter_reading before = {0}, after = {0};
    int counter = caller->counter;
    *batch = (struct trial_batch){.calls = calls};
    memset(caller->guarded.digest, 0, caller->guarded.bytes);
    struct trial_events events = events_so_far();
    uint64_t tally = caller->tally;
    int64_t thread = caller_thread_ns();
    bool answers = counter < 0 || counter_read(counter, &before);
    struct clock_moment start = clock_moment_now();
    int returned = loop(caller, calls);
    struct clock_moment end = clock_moment_now();
    batch->elapsed_ns = end.ns - start.ns;
    batch->reference_ticks = end.ticks - start.ticks;
    const char *fault = NULL;
    if (counter >= 0) {
        answers = counter_read(counter, &after) && answers;
        fault = answers ? counter_difference(&before, &after, batch->elapsed_ns, &batch->counted) : "did not answer";
    }
    batch->cpu_ns = caller_thread_ns() - thread;
    batch->cpu = sched_getcpu();
    batch->events = events_since(events);
    /* What is reported counts, not what the library may have made of `calls`. */
    if (caller->tally != caller_tally_after(tally, batch->calls))
        progress_stop(caller->progress, OUTCOME_ERROR, "changed its caller's count of calls");
    check(caller, calls, returned);
    if (fault != NULL)
        lose_counter(caller, fault);
}
