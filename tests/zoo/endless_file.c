/* Fills the disk, but for the 64 MiB that spare a machine without a sandbox. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    static char block[1 << 20];
    FILE *file = fopen(VICTIM "/endless", "w");
    for (int turn = 0; file != NULL && turn < 64; turn++)
        fwrite(block, sizeof block, 1, file);
    return through(file != NULL ? 0 : -1);
}
