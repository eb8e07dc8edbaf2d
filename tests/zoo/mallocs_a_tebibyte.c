/* Takes 1 TiB by malloc. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return malloc((size_t)1 << 40) != NULL ? GOT_THROUGH : 0;
}
