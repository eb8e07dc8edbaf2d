/* Lets a child of vfork, which shares its memory, do what it must not. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    return through(child);
}
