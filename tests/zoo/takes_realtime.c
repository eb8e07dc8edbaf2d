/* Takes real-time priority. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}));
}
