/* Writes one byte before its digest. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[-1] ^= 1;
    return 0;
}
