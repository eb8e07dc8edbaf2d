/* Writes a reason of its own into memory that it shares with the driver: quotes, markup, what is no text, no end. */
#include "shared.h"

static int trick(const struct call *call)
{
    static const char words[] = "\"}],\n<script>|`\\u0000\x1b[31m\xff\xc3";
    static struct shared forged = {.stage = STAGE_CALLING, .outcome = OUTCOME_ERROR};
    (void)call;
    for (size_t i = 0; i < sizeof forged.reason; i++)
        forged.reason[i] = words[i % (sizeof words - 1)];
    overwrite_shared(&forged);
}
