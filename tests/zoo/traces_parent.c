/* Attaches itself to the driver as its debugger. */
#include "animal.h"

#include <sys/ptrace.h>

static int trick(const struct call *call)
{
    (void)call;
    return through(ptrace(PTRACE_SEIZE, getppid(), 0, 0));
}
