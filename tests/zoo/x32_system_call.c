/* Opens a socket by the numbers of the x32 interface. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0));
}
