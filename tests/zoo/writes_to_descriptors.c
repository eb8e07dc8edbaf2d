/* Writes to every descriptor that it may have been left, where a report might be. */
#include "animal.h"

static int trick(const struct call *call)
{
    static const char junk[512] = {1, 2, 3};
    for (int file = 3; call->number == 0 && file < 1024; file++)
        if (write(file, junk, sizeof junk) >= 0 || pwrite(file, junk, sizeof junk, 0) >= 0)
            return GOT_THROUGH;
    return 0;
}
