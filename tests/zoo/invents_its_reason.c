/* Writes a reason of its own into the memory that it shares with the driver: quotes, markup, what is no text, no end. */
#include "shared.h"

static int trick(const struct call *call)
{
    static const char words[] = "\"}],\n<script>|`\\u0000\x1b[31m\xff\xc3";
    volatile struct shared *shared = find_shared(call);
    if (shared == NULL)
        return GOT_THROUGH;
    for (size_t i = 0; i < sizeof shared->reason; i++)
        shared->reason[i] = words[i % (sizeof words - 1)];
    shared->outcome = OUTCOME_ERROR;
    _exit(0);
}
