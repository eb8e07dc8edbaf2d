/* Notes in the memory that it shares with the driver that it was killed from outside, which would be tried again. */
#include "shared.h"

static int trick(const struct call *call)
{
    static const struct shared forged = {.stage = STAGE_CALLING, .outcome = OUTCOME_KILLED, .reason = "killed"};
    (void)call;
    overwrite_shared(&forged);
}
