/* Watches what others do to files. */
#include "animal.h"

#include <sys/inotify.h>

static int trick(const struct call *call)
{
    (void)call;
    return through(inotify_init1(0));
}
