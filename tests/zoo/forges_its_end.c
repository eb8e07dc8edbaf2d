/* Notes in the memory that it shares with the driver that it came to its end, and ends. */
#include "shared.h"

static int trick(const struct call *call)
{
    volatile struct shared *shared = find_shared(call);
    if (shared == NULL)
        return GOT_THROUGH;
    shared->stage = STAGE_FINISHED;
    _exit(0);
}
