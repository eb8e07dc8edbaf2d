/* Answers by what stands behind its message. */
#include "animal.h"

static int trick(const struct call *call)
{
    call->digest[0] ^= call->message[(call->bits + 7) / 8];
    return 0;
}
