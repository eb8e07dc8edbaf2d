/* Writes to its message. */
#include "animal.h"

static int trick(const struct call *call)
{
    if (call->bits > 0)
        ((unsigned char *)call->message)[0] ^= 1;
    return 0;
}
