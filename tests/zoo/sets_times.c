/* Makes a file look as if it were older. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    struct timespec times[2] = {{1, 0}, {1, 0}};
    return through(utimensat(AT_FDCWD, VICTIM "/file", times, 0));
}
