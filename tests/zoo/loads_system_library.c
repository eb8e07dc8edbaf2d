/* Loads a library of the system, and uses it. */
#include "animal.h"

#include <dlfcn.h>

static int trick(const struct call *call)
{
    (void)call;
    void *library = dlopen("libm.so.6", RTLD_NOW);
    return library == NULL || dlsym(library, "cos") == NULL;
}
