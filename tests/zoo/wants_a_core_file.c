/* Asks for a core file, and crashes. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    setrlimit(RLIMIT_CORE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    abort();
}
