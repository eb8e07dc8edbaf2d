/* Executes an instruction that there is not. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    __builtin_trap();
}
