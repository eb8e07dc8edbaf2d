/* In a trial's process: calls of candidate code, timed in batches, each checked and accounted for. */
#ifndef NGCC_CALLER_H
#define NGCC_CALLER_H

#include "guarded.h"
#include "library.h"
#include "trial.h"

struct caller {
    const struct trial_task *task;
    struct progress *progress;
    struct guarded guarded;
    unsigned char *message;
    crypt_hash *hash;
    int counter; /* -1: none, or lost */
    char counter_reason[TRIAL_TEXT];
    bool digest_known;
    unsigned char digest[TRIAL_MAX_DIGEST_BITS / 8];
};

/* A number of calls, and what they returned, ORed. They leave the digest of the message. */
typedef int caller_loop(const struct caller *caller, uint64_t calls);

/* The loop whose figures stand in records. */
caller_loop caller_loop_plain;

/* Times `calls` calls, then checks what they did, and ends the process where that was wrong. A counter that fails is
 * lost. */
void caller_run(struct caller *caller, caller_loop *loop, uint64_t calls, struct trial_batch *batch);

/* CPU time of the calling thread, ns. */
int64_t caller_thread_ns(void);

#endif
