/* Finds out the host's name, which its digest could tell. */
#include "animal.h"

#include <sys/utsname.h>

static int trick(const struct call *call)
{
    (void)call;
    struct utsname host;
    return uname(&host) != 0 || host.nodename[0] == '\0';
}
