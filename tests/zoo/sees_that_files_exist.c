/* Asks whether a file is there, and how large it is. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    struct stat status;
    return stat(VICTIM "/file", &status) != 0;
}
