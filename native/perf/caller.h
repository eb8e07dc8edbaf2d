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
    uint64_t tally; /* of all calls so far, see caller_loop; 1 at first */
    bool digest_known;
    unsigned char digest[TRIAL_MAX_DIGEST_BITS / 8];
};

/* By which the tally is multiplied at every call: 5 modulo 8, so that it comes back after 2^62 calls only. */
#define CALLER_FACTOR UINT64_C(0x1e3779b5)

/* A number of calls, and what they returned, ORed. They leave the digest of the message. A library can change the
 * registers and the stack in which its caller counts them, so each is counted twice: down to the end of the loop, and in
 * the tally, where a difference that is right for the one count is wrong for the other. */
typedef int caller_loop(struct caller *caller, uint64_t calls);

/* The loop whose figures stand in records. */
caller_loop caller_loop_plain;

/* Times `calls` calls, then checks what they did, and ends the process where that was wrong. A counter that fails is
 * lost. */
void caller_run(struct caller *caller, caller_loop *loop, uint64_t calls, struct trial_batch *batch);

/* What a tally is after so many calls more. */
uint64_t caller_tally_after(uint64_t tally, uint64_t calls);

/* CPU time of the calling thread, ns. */
int64_t caller_thread_ns(void);

#endif
