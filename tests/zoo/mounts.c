/* Mounts a file system over the victim's folder. */
#include "animal.h"

#include <sys/mount.h>

static int trick(const struct call *call)
{
    (void)call;
    return through(mount("none", VICTIM, "no such file system", 0, NULL) + (errno == ENODEV));
}
