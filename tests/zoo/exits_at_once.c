/* Ends the process without its exit handlers. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    _exit(0);
}
