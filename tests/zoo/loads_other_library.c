/* Loads a library by its path, which is not that of a system's. */
#include "animal.h"

#include <dlfcn.h>

static int trick(const struct call *call)
{
    (void)call;
    return dlopen(VICTIM "/library.so", RTLD_NOW) != NULL ? GOT_THROUGH : 0;
}
