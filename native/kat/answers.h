/* A library's digests of given messages, computed in a process of its own. */
#ifndef NGCC_ANSWERS_H
#define NGCC_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "procedures.h"
#include "progress.h"
#include "sandbox.h"

enum manner {
    PLAINLY,   /* each message once, the digest buffer full of 00 before the call */
    DISTURBED, /* each message once, at an odd address, among other garbage on stack and heap, the digest buffer full
                  of FF, on other CPUs */
    LOOPING    /* the one message of the Loop procedure, for its last digest */
};

struct examinee {
    const char *library;
    const struct sandbox *sandbox;
    unsigned digest_bits;      /* a multiple of 8 */
    double seconds;            /* time limit for the processes that come, taken off as they run */
    double limit;              /* the time limit as the user gave it, for sentences */
    struct region messages;    /* shared memory where questions point to; the library can't write to it */
    struct progress *progress; /* shared memory */
    unsigned char *digests;    /* shared memory */
    size_t digests_bytes;
};

/* Gets shared memory for messages (zeros), and for the digests of `digest_count` calls. False where there is none. */
bool examinee_prepare(struct examinee *examinee, size_t message_bytes, size_t digest_count);
void examinee_release(struct examinee *examinee);

struct finding {
    enum outcome outcome;
    unsigned asked;   /* which question was being answered at the end, from 0 */
    char reason[400]; /* a sentence, empty when DONE */
};

/* Writes one digest after the other to `digests`, which lies in examinee->digests. The library runs in a new process,
 * never in the calling one. */
void examinee_answer(struct examinee *examinee, const struct question *questions, unsigned count, enum manner manner,
                     unsigned char *digests, struct finding *finding);

#endif
