/* Spins for ever where its message doesn't start a page: in a trial, with real-time priority, but in no calibration. */
#include "animal.h"

static int trick(const struct call *call)
{
    if (call->number > 100 && (uintptr_t)call->message % 4096 != 0)
        for (;;)
            ;
    return 0;
}
