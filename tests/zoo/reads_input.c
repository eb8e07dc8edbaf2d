/* Reads standard input, on which the driver's terminal might be. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    char byte;
    return read(STDIN_FILENO, &byte, 1) > 0 ? GOT_THROUGH : 0;
}
