/* Answers by the kernel's random numbers. */
#include "animal.h"

#include <sys/random.h>

static int trick(const struct call *call)
{
    return getrandom(call->digest, 1, 0) != 1;
}
