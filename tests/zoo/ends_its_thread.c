/* Ends the thread that called it. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    pthread_exit(NULL);
}
