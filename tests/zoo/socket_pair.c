/* Makes a pair of sockets, over which descriptors travel. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    int pair[2];
    return through(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}
