/* Starts processes that start processes: without end, but for the 64 that spare a machine without a sandbox. */
#include "animal.h"

static int trick(const struct call *call)
{
    for (int turn = 0; call->number == 0 && turn < 6; turn++)
        fork();
    return 0;
}
