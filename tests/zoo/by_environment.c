/* Answers by an environment variable. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    const char *secret = getenv("NGCC_ZOO_SECRET");
    return secret != NULL ? GOT_THROUGH : 0;
}
