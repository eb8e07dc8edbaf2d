/* Writes two pages behind its digest. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[8192] = 1;
    return 0;
}
