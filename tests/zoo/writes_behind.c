/* Writes one byte behind its digest. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[call->width] ^= 1;
    return 0;
}
