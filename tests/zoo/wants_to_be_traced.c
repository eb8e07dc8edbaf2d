/* Makes the driver its debugger, which would have to answer for each signal. */
#include "animal.h"

#include <sys/ptrace.h>

static int trick(const struct call *call)
{
    (void)call;
    return through(ptrace(PTRACE_TRACEME, 0, 0, 0));
}
