/* Writes to its standard output and error in each call. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    puts("noise");
    fflush(stdout);
    return write(STDERR_FILENO, "noise\n", 6) != 6;
}
