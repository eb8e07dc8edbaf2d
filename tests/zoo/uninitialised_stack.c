/* Answers by what was left on the stack. */
#include "animal.h"

static int trick(const struct call *call)
{
    volatile unsigned char frame[4000];
    call->digest[0] ^= frame[100];
    return 0;
}
