/* Becomes another program. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(execl("/bin/sh", "sh", "-c", "echo run > " VICTIM "/executed", NULL));
}
