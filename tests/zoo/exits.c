/* Ends the process, as if all were well. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    exit(0);
}
