/* Makes a session of its own, so that a signal to its group no longer reaches it. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(setsid());
}
