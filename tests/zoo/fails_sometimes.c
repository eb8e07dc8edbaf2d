/* Returns another number than 0 in one call of a thousand. */
#include "animal.h"

static int trick(const struct call *call)
{
    return call->number == 999 ? -7 : 0;
}
