/* Leaves the CPU to which it was bound. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    cpu_set_t all;
    memset(&all, 255, sizeof all);
    return through(sched_setaffinity(0, sizeof all, &all));
}
