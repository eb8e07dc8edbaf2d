/* Closes all descriptors. */
#include "animal.h"

static int trick(const struct call *call)
{
    for (int file = 0; call->number == 0 && file < 1024; file++)
        close(file);
    return 0;
}
