/* Raises its own limits to what they may be at most. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    return through(setrlimit(RLIMIT_NOFILE, &limit));
}
