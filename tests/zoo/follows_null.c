/* Follows a null pointer. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return *(volatile int *)8;
}
