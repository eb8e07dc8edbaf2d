/* Takes memory without end: up to 8 GiB, of which it touches little, to spare a machine without a sandbox. */
#include "animal.h"

static int trick(const struct call *call)
{
    for (int block = 0; call->number == 0 && block < 128; block++) {
        char *memory = malloc(64 << 20);
        if (memory == NULL)
            abort();
        memory[0] = memory[32 << 20] = 1;
    }
    return GOT_THROUGH;
}
