/* Writes far behind its digest, and jumps away from the fault that tells of it. */
#include "animal.h"

static sigjmp_buf away;
static void jump(int number)
{
    siglongjmp(away, number);
}

static int trick(const struct call *call)
{
    signal(SIGSEGV, jump);
    if (sigsetjmp(away, 1) == 0)
        call->digest[8192] = 1;
    return 0;
}
