#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

crypt_hash *library_open(const char *path, char *why, size_t capacity)
{
    /* Without a slash the loader would look in the system's folders. */
    char here[4096];
    int length = snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (length < 0 || (size_t)length >= sizeof here) {
        snprintf(why, capacity, "the library's path is too long");
        return NULL;
    }
    void *library = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(why, capacity, "the library can't be loaded: %s", dlerror());
        return NULL;
    }
    void *symbol = dlsym(library, "CryptHash");
    if (symbol == NULL) {
        snprintf(why, capacity, "the library does not define CryptHash");
        return NULL;
    }
    crypt_hash *function; /* POSIX makes this conversion work; ISO C has no cast for it */
    memcpy(&function, &symbol, sizeof function);
    return function;
}
