/* Writes five pages before its digest. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[-20000] = 1;
    return 0;
}
