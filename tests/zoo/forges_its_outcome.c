/* Notes in the memory that it shares with the driver that it was killed from outside, which would be tried again. */
#include "shared.h"

static int trick(const struct call *call)
{
    volatile struct shared *shared = find_shared(call);
    if (shared == NULL)
        return GOT_THROUGH;
    shared->outcome = OUTCOME_KILLED;
    _exit(0);
}
