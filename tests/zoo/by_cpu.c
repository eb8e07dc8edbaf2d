/* Answers by the CPU that it runs on. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[0] ^= sched_getcpu();
    return 0;
}
