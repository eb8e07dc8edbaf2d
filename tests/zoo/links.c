/* Gives a file a second name. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(link(VICTIM "/file", VICTIM "/linked"));
}
