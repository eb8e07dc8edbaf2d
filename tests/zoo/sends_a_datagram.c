/* Sends a datagram out of the machine. */
#include "animal.h"

#include <netinet/in.h>

static int trick(const struct call *call)
{
    (void)call;
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return through(sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)&there, sizeof there));
}
