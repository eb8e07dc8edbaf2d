#include "sandbox_layers.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The interface as in linux/landlock.h, which older systems lack. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, GET_VERSION = 1, PATH_BENEATH = 1 };
static const uint64_t READ_FILE = 1 << 2;

struct ruleset {
    uint64_t files, network, scopes;
};

struct __attribute__((packed)) path_beneath {
    uint64_t allowed;
    int32_t parent;
};

int landlock_version(void)
{
    long version = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);
    return version > 0 ? (int)version : 0;
}

/* All that the version knows is forbidden unless a rule allows it. */
static int create_ruleset(int version)
{
    static const int file_rights[] = {0, 13, 14, 15, 15, 16}; /* by version, the last for those that follow */
    int known = version < 5 ? version : 5;
    struct ruleset ruleset = {
        .files = (UINT64_C(1) << file_rights[known]) - 1,
        .network = version >= 4 ? 3 : 0, /* to bind and to connect TCP */
        .scopes = version >= 6 ? 3 : 0,  /* abstract sockets and signals of others */
    };
    size_t bytes = version >= 6 ? sizeof ruleset : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    return (int)syscall(CREATE_RULESET, &ruleset, bytes, 0);
}

/* What is not there needs no rule: who opens it is told so. */
static bool allow_reading(int ruleset, const char *path)
{
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0)
        return true;
    struct path_beneath rule = {.allowed = READ_FILE, .parent = parent};
    bool added = syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) == 0;
    close(parent);
    return added;
}

/* The folder of the C library in use, wherever this system has it; "" where that can't be told. */
static void libc_folder(char *folder, size_t capacity)
{
    Dl_info info;
    void *symbol = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    bool known = symbol != NULL && dladdr(symbol, &info) != 0 && strchr(info.dli_fname, '/') != NULL;
    snprintf(folder, capacity, "%s", known ? info.dli_fname : "");
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
}

static bool add_rules(int ruleset, const char *library)
{
    static const char *const readable[] = {"/lib",           "/lib64",         "/usr/lib",           "/usr/lib64",
                                           "/usr/local/lib", "/usr/local/lib64", "/etc/ld.so.cache", "/sys/devices/system/cpu"};
    char folder[4096];
    bool added = true;
    for (size_t i = 0; i < sizeof readable / sizeof *readable && added; i++)
        added = allow_reading(ruleset, readable[i]);
    libc_folder(folder, sizeof folder);
    if (folder[0] != '\0')
        added = added && allow_reading(ruleset, folder);
    struct stat status; /* a rule for a folder would be one for all that lies in it */
    if (library != NULL && stat(library, &status) == 0 && S_ISREG(status.st_mode))
        added = added && allow_reading(ruleset, library);
    return added;
}

bool landlock_enter(int version, const char *library)
{
    int ruleset = create_ruleset(version);
    if (ruleset < 0)
        return false;
    bool entered = add_rules(ruleset, library) && syscall(RESTRICT_SELF, ruleset, 0) == 0;
    int error = errno;
    close(ruleset);
    errno = error;
    return entered;
}
