/* Jumps out of the call to where it was while the library was loaded. */
#include "animal.h"

static jmp_buf loading;
__attribute__((constructor)) static void load(void)
{
    setjmp(loading);
}

static int trick(const struct call *call)
{
    (void)call;
    longjmp(loading, 1);
}
