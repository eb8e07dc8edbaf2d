/* Makes a file in memory that it shares with others. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return through(shm_open("/ngcc-zoo", O_CREAT | O_RDWR, 0600));
}
