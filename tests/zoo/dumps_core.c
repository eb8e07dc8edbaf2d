/* Crashes in a way that leaves a core file where that is allowed. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    abort();
}
