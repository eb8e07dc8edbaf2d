/* Answers by the time of day. */
#include "animal.h"

static int trick(const struct call *call)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    call->digest[0] ^= now.tv_nsec >> 3;
    return 0;
}
