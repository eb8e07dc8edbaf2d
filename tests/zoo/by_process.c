/* Answers by the number of its process. */
#include "animal.h"

static int trick(const struct call *call)
{
    memcpy(call->digest, &(pid_t){getpid()}, sizeof(pid_t));
    return 0;
}
