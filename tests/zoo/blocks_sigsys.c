/* Blocks the signal by which the sandbox tells of forbidden calls, and opens a socket. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    return through(socket(AF_INET, SOCK_STREAM, 0));
}
