/* Each layer holds back what it should, alone; and in all of them together code can still compute. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "sandbox.h"

static struct sandbox found;
static const struct sandbox calls_alone = {.no_new_privs = true, .seccomp = true};
static struct progress *progress;
static int kept, others; /* descriptors */
static char victim[] = "/tmp/test_sandbox.XXXXXX";
static struct sockaddr_in listener;

/* How a process ended that did the deed in a sandbox: its exit status is what the deed returned. */
static int status_of(const struct sandbox *sandbox, int (*deed)(void))
{
    int status = 0;
    memset(progress, 0, sizeof *progress);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(open("/dev/null", O_RDWR), STDOUT_FILENO);
        struct sandbox_needs needs = {.library = "/etc/hostname", .seconds = 20, .kept = {kept}};
        sandbox_enter(sandbox, &needs, progress);
        _exit(deed());
    }
    while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status))
        kill(pid, SIGKILL);
    return status;
}

#define RETURNS(layers, deed, expected) CHECK(status_of(layers, deed) == (expected) << 8)

static int write_a_file(void)
{
    int file = open(victim, O_WRONLY);
    return file < 0 ? errno : (int)write(file, "x", 1);
}

static int make_a_file(void)
{
    return open("/tmp/test_sandbox.made", O_WRONLY | O_CREAT | O_EXCL, 0600) < 0 ? errno : 0;
}

static int delete_a_file(void)
{
    return unlink(victim) < 0 ? errno : 0;
}

static int read_users(void)
{
    return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0;
}

static int read_the_library(void)
{
    return open("/etc/hostname", O_RDONLY) < 0 ? errno : 0;
}

static int list_a_folder(void)
{
    return open("/usr/lib", O_RDONLY | O_DIRECTORY) < 0 ? errno : 0;
}

static int read_the_cpu_s_facts(void)
{
    return open("/sys/devices/system/cpu/online", O_RDONLY) < 0 ? errno : 0;
}

static int call_the_parent(void)
{
    return kill(getppid(), 0) < 0 ? errno : 0;
}

static int connect_to_the_parent(void)
{
    int one = socket(AF_INET, SOCK_STREAM, 0);
    return connect(one, (struct sockaddr *)&listener, sizeof listener) < 0 ? 1 : 0;
}

static int start_a_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : 0;
}

static int take_a_tebibyte(void)
{
    void *volatile block = malloc((size_t)1 << 40);
    return block == NULL ? 1 : 0;
}

static int take_a_gibibyte(void)
{
    void *volatile block = malloc((size_t)1 << 30);
    return block == NULL ? 1 : 0;
}

static int open_many(void)
{
    for (int i = 0; i < 200; i++)
        if (dup(0) < 0)
            return errno;
    return 0;
}

static int tell_the_cpu_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_CPU, &limit);
    return (int)limit.rlim_cur;
}

static int use_descriptors(void)
{
    return fcntl(kept, F_GETFD) >= 0 && fcntl(others, F_GETFD) < 0 && errno == EBADF && fcntl(2, F_GETFD) >= 0;
}

static int count_privileges(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct own[2] = {{1, 1, 1}, {1, 1, 1}};
    syscall(SYS_capget, &header, own);
    bool none = !own[0].effective && !own[0].permitted && !own[1].effective && !own[1].permitted;
    return none && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 1;
}

static void landlock_alone(void)
{
    struct sandbox alone = {.no_new_privs = true, .landlock = found.landlock};
    if (found.landlock == 0)
        return;
    RETURNS(&alone, write_a_file, EACCES);
    RETURNS(&alone, make_a_file, EACCES);
    RETURNS(&alone, delete_a_file, EACCES);
    RETURNS(&alone, read_users, EACCES);
    RETURNS(&alone, list_a_folder, EACCES);
    RETURNS(&alone, read_the_library, 0);
    RETURNS(&alone, read_the_cpu_s_facts, 0);
    if (found.landlock >= 6)
        RETURNS(&alone, call_the_parent, EPERM);
    if (found.landlock >= 4)
        RETURNS(&alone, connect_to_the_parent, 1);
}

static void limits_alone(void)
{
    struct sandbox alone = {.limits = true};
    if (!found.limits)
        return;
    CHECK(WTERMSIG(status_of(&alone, write_a_file)) == SIGXFSZ);
    RETURNS(&alone, take_a_tebibyte, 1);
    RETURNS(&alone, take_a_gibibyte, 0);
    RETURNS(&alone, open_many, EMFILE);
    RETURNS(&alone, tell_the_cpu_limit, 21);
    RETURNS(&alone, start_a_process, geteuid() == 0 ? 0 : EAGAIN);
}

static void others_alone(void)
{
    struct sandbox none = {.mode = SANDBOX_BEST}, namespaces = {.namespaces = true}, privileges = {.no_new_privs = true};
    namespaces.user = found.user;
    namespaces.network = found.network;
    RETURNS(&none, use_descriptors, 1);
    RETURNS(&none, connect_to_the_parent, 0);
    if (found.namespaces)
        RETURNS(&namespaces, connect_to_the_parent, 1);
    if (found.no_new_privs)
        RETURNS(&privileges, count_privileges, 0);
}

static int make_a_page_executable(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static int map_an_executable_page(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static int sent;

static int signal_itself(void)
{
    return kill(getpid(), sent) + raise(sent);
}

static int ignore_sigsys(void)
{
    return signal(SIGSYS, SIG_IGN) == SIG_ERR;
}

static int swallow_faults(void)
{
    return signal(SIGSEGV, SIG_IGN) == SIG_ERR;
}

static int block_all_and_start_a_process(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    return start_a_process();
}

static int start_a_thread(void)
{
    return (int)syscall(SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL, 0, 0, 0);
}

static int set_a_limit(void)
{
    struct rlimit *high = (struct rlimit *)((uintptr_t)1 << 32); /* no NULL, though its low half is 0 */
    return (int)syscall(SYS_prlimit64, 0, RLIMIT_CPU, high, NULL);
}

static int move_to_another_cpu(void)
{
    cpu_set_t all;
    memset(&all, 255, sizeof all);
    return sched_setaffinity(0, sizeof all, &all);
}

static int lock_its_memory(void)
{
    return mlockall(MCL_CURRENT | MCL_FUTURE);
}

static void hostile_calls(void)
{
    static const struct {
        int (*deed)(void);
        const char *called;
    } deeds[] = {
        {write_a_file, "openat for writing"},
        {make_a_file, "openat for writing"},
        {connect_to_the_parent, "socket"},
        {start_a_process, "clone"},
        {start_a_thread, "clone"},
        {block_all_and_start_a_process, "clone"},
        {call_the_parent, "kill"},
        {make_a_page_executable, "mprotect for executable memory"},
        {map_an_executable_page, "mmap for executable memory"},
        {ignore_sigsys, "rt_sigaction for SIGSYS, SIGSEGV or SIGBUS"},
        {swallow_faults, "rt_sigaction for SIGSYS, SIGSEGV or SIGBUS"},
        {set_a_limit, "prlimit64 to set a limit"},
        {move_to_another_cpu, "sched_setaffinity"},
        {lock_its_memory, "mlockall"},
#ifdef __x86_64__
        {delete_a_file, "unlink"},
#else
        {delete_a_file, "unlinkat"},
#endif
    };
    char reason[sizeof progress->reason];
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        CHECK(WTERMSIG(status_of(&calls_alone, deeds[i].deed)) == SIGSYS);
        CHECK(progress->outcome == OUTCOME_FORBIDDEN);
        snprintf(reason, sizeof reason, "called %s, which is forbidden", deeds[i].called);
        CHECK_TEXT(progress->reason, reason);
    }
}

static void signals_that_end_or_stop(void)
{
    static const int ends[] = {SIGKILL, SIGSYS, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        sent = ends[i];
        CHECK(WTERMSIG(status_of(&calls_alone, signal_itself)) == SIGSYS);
        CHECK_TEXT(progress->reason, "called kill, which is forbidden");
    }
    sent = SIGCHLD;
    RETURNS(&calls_alone, signal_itself, 0);
}

/* What makes reading quicker and gives memory back, and nothing else. */
static int advise(void)
{
    static const int good[] = {MADV_NORMAL,   MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED,
                               MADV_DONTNEED, MADV_FREE,   MADV_HUGEPAGE};
    static const int bad[] = {MADV_REMOVE,      MADV_DONTFORK, MADV_DOFORK,   MADV_MERGEABLE,
                              MADV_UNMERGEABLE, MADV_DONTDUMP, MADV_HWPOISON, 1 << 20};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (madvise(page, 4096, good[i]) != 0 && errno == ENOSYS)
            return 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (madvise(page, 4096, bad[i]) == 0 || errno != ENOSYS)
            return 0;
    return 1;
}

static int call_the_unknown(void)
{
    const long unknown[] = {SYS_membarrier, SYS_mlock, SYS_epoll_create1, 435 /* clone3 */, 9999};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (syscall(unknown[i], 0, 0, 0) >= 0 || errno != ENOSYS)
            return 0;
    return 1;
}

/* Whatever a hash may do that is strange but harmless. */
static int compute(void)
{
    struct timespec now, moment = {0, 1000};
    struct rlimit limit;
    sigset_t wanted, before, after;
    char bytes[16];
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGSYS);
    bool masks = sigprocmask(SIG_BLOCK, &wanted, &before) == 0 && sigprocmask(SIG_SETMASK, NULL, &after) == 0;
    masks = masks && !sigismember(&before, SIGUSR1) && sigismember(&after, SIGUSR1) && !sigismember(&after, SIGSYS);
    for (size_t size = 1; size < (size_t)1 << 28; size *= 4)
        free(realloc(malloc(size), 2 * size));
    printf("to nowhere %g\n", sqrt((double)(size_t)&now));
    return masks && clock_gettime(CLOCK_REALTIME, &now) == 0 && nanosleep(&moment, NULL) == 0 &&
           getrlimit(RLIMIT_STACK, &limit) == 0 && getrandom(bytes, sizeof bytes, 0) == sizeof bytes &&
           sysconf(_SC_NPROCESSORS_ONLN) > 0 && fflush(stdout) == 0 && signal(SIGUSR1, SIG_IGN) != SIG_ERR &&
           raise(SIGUSR1) == 0 && fopen("/etc/passwd", "r") == NULL && errno == EACCES;
}

static int give_up(void)
{
    abort();
}

static void all_together(void)
{
    RETURNS(&found, compute, 1);
    CHECK(WTERMSIG(status_of(&found, give_up)) == SIGABRT);
    CHECK(WTERMSIG(status_of(&found, start_a_process)) == SIGSYS);
    RETURNS(&found, call_the_unknown, 1);
    RETURNS(&found, take_a_tebibyte, 1);
}

static void what_is_lacking(void)
{
    struct sandbox broken = {.mode = SANDBOX_BEST, .namespaces = true, .user = -1, .network = -1};
    RETURNS(&broken, compute, 0);
    CHECK(progress->outcome == OUTCOME_KILLED);
    CHECK_TEXT(progress->reason, "the sandbox could not be entered: namespaces: Bad file descriptor");

    struct sandbox lacking = {SANDBOX_REQUIRE, true, true, true, 0, true, 0, 0};
    CHECK_TEXT(sandbox_lack(&lacking),
               "the sandbox's layer landlock can't be had here, and all are required: choose best, or another host");
    lacking.mode = SANDBOX_BEST;
    CHECK(sandbox_lack(&lacking) == NULL);
    CHECK(!sandbox_find(SANDBOX_OFF).no_new_privs);
    enum sandbox_mode mode;
    CHECK(sandbox_mode_named("require", &mode) && mode == SANDBOX_REQUIRE && !sandbox_mode_named("none", &mode));
}

static void prepare(void)
{
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    kept = dup2(0, 40);
    others = dup2(0, 41);
    close(mkstemp(victim));
    socklen_t bytes = sizeof listener;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    listener = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(bind(server, (struct sockaddr *)&listener, sizeof listener) == 0 && listen(server, 100) == 0);
    getsockname(server, (struct sockaddr *)&listener, &bytes);
    found = sandbox_find(SANDBOX_BEST);
}

int main(void)
{
    prepare();
    landlock_alone();
    limits_alone();
    others_alone();
    if (found.seccomp) {
        hostile_calls();
        signals_that_end_or_stop();
        RETURNS(&calls_alone, advise, 1);
    }
    if (sandbox_lack(&(struct sandbox){SANDBOX_REQUIRE, found.no_new_privs, found.limits, found.namespaces,
                                       found.landlock, found.seccomp, 0, 0}) == NULL)
        all_together();
    what_is_lacking();
    CHECK(access(victim, F_OK) == 0);
    unlink(victim);
    return failures != 0;
}
