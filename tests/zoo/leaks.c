/* Never gives back what it takes, 1 MiB a call; where there is none, it goes on without. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    char *memory = malloc(1 << 20);
    if (memory != NULL)
        memory[0] = 1;
    return 0;
}
