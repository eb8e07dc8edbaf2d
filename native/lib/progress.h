/* How far a process that runs candidate code has come. It lies in memory shared with the parent: when the process is
 * gone, this and the way it ended make the outcome. */
#ifndef NGCC_PROGRESS_H
#define NGCC_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

#include "child.h"

enum outcome {
    OUTCOME_DONE,
    OUTCOME_ERROR,
    OUTCOME_CRASH,
    OUTCOME_TIMEOUT,
    OUTCOME_OVERFLOW,
    OUTCOME_UNSTABLE,
    OUTCOME_FORBIDDEN, /* made a system call that the sandbox forbids */
    OUTCOME_KILLED /* says nothing about the code: killed from outside, or no memory */
};

const char *outcome_name(enum outcome outcome);

enum stage { STAGE_LOADING, STAGE_CALLING, STAGE_FINISHED };

struct progress {
    volatile uint32_t stage;   /* enum stage */
    volatile uint32_t call;    /* which call is running, from 0 */
    volatile uint32_t outcome; /* enum outcome: not DONE once the process itself has found what is wrong */
    char reason[256];
};

/* Pages that the library must not touch, and what touching them means. */
struct region {
    const unsigned char *start, *end;
    enum outcome outcome;
    const char *reason;
};

/* Child: a fault inside one of the regions is noted in `progress` before it ends the process. The regions must live on.
 * Works when the stack is used up, too. */
void progress_watch(struct progress *progress, const struct region *regions, size_t count);

/* Child: notes what is wrong with the call, or, with KILLED before child_ready, what could not be had, and ends the
 * process. */
_Noreturn void progress_stop(struct progress *progress, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Parent: the outcome and, unless it is DONE, its reason in a sentence; `where` names the call, as in
 * "during record 12 (11 bits)". KILLED only where nothing of the library can have caused the end, as far as can be told:
 * it was not ready, or SIGKILL came. `seconds` is the time limit that child_wait was given. */
enum outcome progress_judge(const struct progress *progress, struct child_outcome end, double seconds,
                            const char *where, char *reason, size_t capacity);

#endif
