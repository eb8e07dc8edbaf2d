/* Answers by what was left in memory. */
#include "animal.h"

static int trick(const struct call *call)
{
    unsigned char *volatile memory = malloc(99);
    call->digest[0] ^= memory[50];
    free(memory);
    return 0;
}
