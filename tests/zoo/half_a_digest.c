/* Writes half its digest. What the first half is stands there already, so that it must be taken back. */
#include "animal.h"

static int trick(const struct call *call)
{
    memset(call->digest + call->width / 2, call->number == 0 ? 0 : 255, call->width / 2);
    return 0;
}
