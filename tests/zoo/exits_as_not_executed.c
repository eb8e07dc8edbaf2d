/* Ends the process with the status of one that never began. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    _exit(127);
}
