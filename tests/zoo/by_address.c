/* Answers by where its message lies. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[0] ^= (uintptr_t)call->message % 2;
    return 0;
}
