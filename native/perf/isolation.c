#include "isolation.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

static bool take_priority(int above_lowest)
{
    struct sched_param wanted = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + above_lowest};
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted) == 0;
}

bool isolation_supervise(void)
{
    return take_priority(1);
}

bool isolation_take_realtime(void)
{
    return take_priority(0);
}

bool isolation_suits(double batch_ns)
{
    static const double LONGEST_NS = 50e6;
    return batch_ns <= LONGEST_NS;
}

void isolation_raise_memory_limit(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_MEMLOCK, &limit);
}

bool isolation_lock_memory(void)
{
    /* MCL_ONFAULT: a library's large tables are not filled in because of this. */
    return mlockall(MCL_CURRENT | MCL_ONFAULT) == 0;
}
