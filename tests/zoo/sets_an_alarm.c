/* Has itself interrupted later. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    alarm(1);
    return GOT_THROUGH;
}
