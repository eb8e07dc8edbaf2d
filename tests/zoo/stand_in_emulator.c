/* Preloaded, answers for /proc/self/exe as a user-mode emulator does: with another program than the kernel sees. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

ssize_t readlink(const char *restrict path, char *restrict target, size_t bytes)
{
    if (strcmp(path, "/proc/self/exe") == 0 && bytes > 0) {
        target[0] = '/';
        return 1;
    }
    ssize_t (*real)(const char *, char *, size_t) =
        (ssize_t(*)(const char *, char *, size_t))dlsym(RTLD_NEXT, "readlink");
    return real(path, target, bytes);
}
