/* How an animal finds the memory in which its driver's side of the process notes how far it has come: struct progress
 * of native/lib/progress.h, at the start of a page. */
#ifndef NGCC_SHARED_H
#define NGCC_SHARED_H

#include "animal.h"

enum { STAGE_CALLING = 1, STAGE_FINISHED = 2, OUTCOME_ERROR = 1, OUTCOME_KILLED = 7 };

struct shared {
    uint32_t stage, call, outcome;
    char reason[256];
};

static inline int can_be_read(const void *page)
{
    return access(page, F_OK) == 0 || errno != EFAULT;
}

/* NULL where no page within 256 MiB looks like it. */
static volatile struct shared *find_shared(const struct call *call)
{
    static char own;
    uintptr_t here = (uintptr_t)&own & ~(uintptr_t)4095;
    for (intptr_t page = -65536; page < 65536; page++) {
        volatile struct shared *found = (struct shared *)(here + (uintptr_t)page * 4096);
        if (can_be_read((void *)found) && found->stage == STAGE_CALLING && found->call == call->number &&
            found->outcome == 0 && found->reason[0] == '\0')
            return found;
    }
    return NULL;
}

#endif
