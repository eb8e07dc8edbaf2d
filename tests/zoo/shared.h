/* How an animal overwrites the memory in which its driver's side of the process notes how far it has come: struct
 * progress of native/lib/progress.h, wherever it may be. */
#ifndef NGCC_SHARED_H
#define NGCC_SHARED_H

#include "animal.h"

#include <sys/random.h>

enum { STAGE_CALLING = 1, STAGE_FINISHED = 2, OUTCOME_ERROR = 1, OUTCOME_KILLED = 7 };

struct shared {
    uint32_t stage, call, outcome;
    char reason[256];
};

/* In memory already: untouched pages of the stack are many, and hold nothing. */
static inline int can_be_read(void *page)
{
    unsigned char resident;
    return mincore(page, 4096, &resident) == 0 && resident && (access(page, F_OK) == 0 || errno != EFAULT);
}

/* Whether it looks like that of a first call. */
static inline int may_be_it(const struct shared *shared)
{
    static const char nothing[sizeof shared->reason];
    return shared->stage == STAGE_CALLING && shared->call == 0 && shared->outcome == 0 &&
           memcmp(shared->reason, nothing, sizeof nothing) == 0;
}

static void overwrite_in(char *page, const struct shared *forged)
{
    for (size_t at = 0; at + sizeof *forged <= 4096; at += sizeof forged->stage)
        if (may_be_it((struct shared *)(page + at)) && getrandom(page + at, 1, 0) == 1) /* it can be written */
            memcpy(page + at, forged, sizeof *forged);
}

/* Writes over all within 320 MiB that may be it, and ends the process, to which it may have done harm. */
static _Noreturn void overwrite_shared(const struct shared *forged)
{
    uintptr_t here = (uintptr_t)forged & ~(uintptr_t)4095;
    for (intptr_t page = -81920; page < 81920; page++)
        if (can_be_read((char *)here + page * 4096))
            overwrite_in((char *)here + page * 4096, forged);
    _exit(0);
}

#endif
