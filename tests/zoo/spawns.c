/* Starts a shell as system() does. */
#include "animal.h"

static int trick(const struct call *call)
{
    return through(call->number == 0 ? system("echo run > " VICTIM "/spawned") - 1 : -1);
}
