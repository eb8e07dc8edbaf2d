/* Calls itself without end. */
#include "animal.h"

static int trick(const struct call *call)
{
    volatile char frame[4096];
    frame[0] = 1;
    return CryptHash(8 * call->width, call->message, call->bits, call->digest) + frame[0];
}
