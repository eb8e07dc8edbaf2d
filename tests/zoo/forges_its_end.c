/* Notes in the memory that it shares with the driver that it came to its end, and ends. */
#include "shared.h"

static int trick(const struct call *call)
{
    static const struct shared forged = {.stage = STAGE_FINISHED};
    (void)call;
    overwrite_shared(&forged);
}
