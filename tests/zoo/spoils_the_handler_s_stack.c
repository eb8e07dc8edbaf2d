/* Gives the sandbox's handler no stack to run on, and opens a socket. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    sigaltstack(&(stack_t){.ss_sp = (void *)4096, .ss_size = 1 << 16}, NULL);
    return through(socket(AF_INET, SOCK_STREAM, 0));
}
