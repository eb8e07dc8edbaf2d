/* Has a signal sent to it a thousand times a second. */
#include "animal.h"

static void swallow(int number)
{
    (void)number;
}

static int trick(const struct call *call)
{
    (void)call;
    signal(SIGPROF, swallow);
    return through(setitimer(ITIMER_PROF, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL));
}
