#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "sandbox_layers.h"

/* The sanitizer's own runtime needs address space without a bound, and calls of its own. */
#if defined __SANITIZE_ADDRESS__
#define SANITIZED true
#elif defined __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif

bool sandbox_mode_named(const char *word, enum sandbox_mode *mode)
{
    static const char *const names[] = {"best", "require", "off"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, names[i]) == 0) {
            *mode = (enum sandbox_mode)i;
            return true;
        }
    return false;
}

static void close_range_of(unsigned first, unsigned last)
{
    enum { CLOSE_RANGE = 436, MANY = 1024 };
    if (first > last || syscall(CLOSE_RANGE, first, last, 0) == 0)
        return;
    for (unsigned file = first; file <= last && file < MANY; file++) /* a kernel before 5.9 */
        close((int)file);
}

static void close_others(const int kept[SANDBOX_KEPT])
{
    unsigned first = STDERR_FILENO + 1;
    for (;;) {
        unsigned next = ~0U;
        for (int i = 0; i < SANDBOX_KEPT; i++)
            if (kept[i] >= (int)first && (unsigned)kept[i] < next)
                next = (unsigned)kept[i];
        close_range_of(first, next - 1);
        if (next == ~0U)
            return;
        first = next + 1;
    }
}

/* Whoever started us may have set a lower one. */
static bool lower(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return false;
    limit.rlim_max = hard < limit.rlim_max ? hard : limit.rlim_max;
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &limit) == 0;
}

/* Address space in use, in bytes; 0 where that can't be told. */
static rlim_t mapped(void)
{
    char text[64];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = '\0';
    return (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

static bool limit(double seconds)
{
    enum { OPEN_FILES = 64 };
    rlim_t bytes = mapped(), cpu = (rlim_t)ceil(seconds) + 1;
    if (SANITIZED || bytes == 0)
        return false;
    bytes += (rlim_t)SANDBOX_MIB << 20;
    return lower(RLIMIT_AS, bytes, bytes) && lower(RLIMIT_CPU, cpu, cpu + 1) && lower(RLIMIT_FSIZE, 0, 0) &&
           lower(RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES) && lower(RLIMIT_NPROC, 0, 0) && lower(RLIMIT_CORE, 0, 0);
}

/* An emulator may take a limit and heed it not. */
static bool limit_holds(void)
{
    size_t bytes = ((size_t)SANDBOX_MIB + 1) << 20;
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
}

/* To make a network takes the kernel longer than the other layers together, and to take it down disturbs whoever is
 * timed meanwhile: one serves all. */
static bool enter_namespaces(const struct sandbox *sandbox)
{
    return setns(sandbox->user, CLONE_NEWUSER) == 0 && setns(sandbox->network, CLONE_NEWNET) == 0;
}

static bool gain_nothing(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* Root's, and those that come with a user namespace. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    return syscall(SYS_capset, &header, none) == 0;
}

static bool restrict_calls(struct progress *progress)
{
    return !SANITIZED && calls_restrict(progress);
}

/* In a process of its own. */
static void try_layers(struct sandbox *found)
{
    found->namespaces = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    raise(SIGSTOP); /* until the parent has hold of them */
    close_others((const int[SANDBOX_KEPT]){0});
    found->limits = limit(1) && limit_holds();
    found->no_new_privs = gain_nothing() && drop_capabilities();
    int version = landlock_version();
    found->landlock = version > 0 && landlock_enter(version, NULL) ? version : 0;
    found->seccomp = restrict_calls(NULL) && getppid() > 0;
}

static int open_namespace(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Waits for the process that tries the layers, and takes over its namespaces when it stops. */
static void attend(pid_t pid, struct sandbox *found)
{
    int status;
    for (;;) {
        pid_t got = waitpid(pid, &status, WUNTRACED);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !WIFSTOPPED(status))
            return;
        found->user = open_namespace(pid, "user");
        found->network = open_namespace(pid, "net");
        found->namespaces = found->namespaces && found->user >= 0 && found->network >= 0;
        kill(pid, SIGCONT);
    }
}

struct sandbox sandbox_find(enum sandbox_mode mode)
{
    struct sandbox found = {.mode = mode};
    struct sandbox *shared = mmap(NULL, sizeof found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mode == SANDBOX_OFF || shared == MAP_FAILED)
        return found;
    *shared = found;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        child_dies_with(parent);
        try_layers(shared);
        _exit(0);
    }
    if (pid > 0)
        attend(pid, shared);
    found = *shared;
    munmap(shared, sizeof *shared);
    return found;
}

const char *sandbox_lack(const struct sandbox *sandbox)
{
    static char sentence[160];
    const char *layer = !sandbox->no_new_privs    ? "no_new_privs"
                        : !sandbox->limits        ? "limits"
                        : !sandbox->namespaces    ? "namespaces"
                        : sandbox->landlock == 0 ? "landlock"
                        : !sandbox->seccomp       ? "seccomp"
                                                  : NULL;
    if (sandbox->mode != SANDBOX_REQUIRE || layer == NULL)
        return NULL;
    snprintf(sentence, sizeof sentence,
             "the sandbox's layer %s can't be had here, and all are required: choose best, or another host", layer);
    return sentence;
}

void sandbox_hand_on(const struct sandbox *sandbox)
{
    if (sandbox->namespaces) {
        fcntl(sandbox->user, F_SETFD, 0);
        fcntl(sandbox->network, F_SETFD, 0);
    }
}

/* A person's environment may hold what nobody else should know, and a digest that is published tells whatever its library
 * likes. The strings stay where they lie, overwritten, as their places move the stack. */
static void forget_environment(void)
{
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        memset(*variable, 0, strlen(*variable));
    clearenv();
}

void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_needs *needs, struct progress *progress)
{
    const char *failed = NULL;
    if (sandbox->mode == SANDBOX_OFF)
        return;
    forget_environment();
    bool separate = !sandbox->namespaces || enter_namespaces(sandbox);
    close_others(needs->kept);
    if (!separate)
        failed = "namespaces";
    else if (sandbox->limits && !limit(needs->seconds))
        failed = "limits";
    else if (sandbox->no_new_privs && !(gain_nothing() && drop_capabilities()))
        failed = "no_new_privs";
    else if (sandbox->landlock > 0 && !landlock_enter(sandbox->landlock, needs->library))
        failed = "landlock";
    else if (sandbox->seccomp && !restrict_calls(progress))
        failed = "seccomp";
    if (failed != NULL)
        progress_stop(progress, OUTCOME_KILLED, "the sandbox could not be entered: %s: %s", failed, strerror(errno));
}

void sandbox_write(struct json *json, const struct sandbox *sandbox)
{
    static const char *const modes[] = {"best", "require", "off"};
    json_open_object(json, "sandbox");
    json_string(json, "mode", modes[sandbox->mode]);
    json_bool(json, "no_new_privs", sandbox->no_new_privs);
    json_bool(json, "limits", sandbox->limits);
    json_bool(json, "namespaces", sandbox->namespaces);
    json_integer(json, "landlock", sandbox->landlock);
    json_bool(json, "seccomp", sandbox->seccomp);
    json_close_object(json);
}
