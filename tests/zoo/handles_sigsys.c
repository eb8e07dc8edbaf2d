/* Handles the signal by which the sandbox tells of forbidden calls, and opens a socket. */
#include "animal.h"

static void swallow(int number)
{
    (void)number;
}

static int trick(const struct call *call)
{
    (void)call;
    signal(SIGSYS, swallow);
    return through(socket(AF_INET, SOCK_STREAM, 0));
}
