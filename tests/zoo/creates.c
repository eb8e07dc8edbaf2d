/* Makes a file where anybody may. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(open("/tmp", O_TMPFILE | O_RDWR, 0600));
}
