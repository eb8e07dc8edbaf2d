/* Binds the driver to another set of CPUs. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    cpu_set_t all;
    memset(&all, 255, sizeof all);
    return through(sched_setaffinity(getppid(), sizeof all, &all));
}
