/* Waits for a signal that never comes. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    for (;;)
        pause();
}
