/* Connects to a port of this machine. */
#include "animal.h"

#include <netinet/in.h>

static int trick(const struct call *call)
{
    (void)call;
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(VICTIM_PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return through(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&there, sizeof there));
}
