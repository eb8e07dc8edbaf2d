/* Lists a folder. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open(VICTIM, O_RDONLY | O_DIRECTORY));
}
