/* Which system calls candidate code may make. */
#include "sandbox_layers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define ARGUMENT(context, i) ((context)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10}[i]])
#define ANSWER(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define ARGUMENT(context, i) ((context)->uc_mcontext.regs[i])
#define ANSWER(context) ((context)->uc_mcontext.regs[0])
#else
#error "the system calls of this architecture are not listed"
#endif

/* What an argument must be; but for NULL its low half tells. */
enum comparison { ANYTHING, IS, IS_NOT, IS_NULL, IS_ITSELF, HAS_NONE_OF };

struct test {
    enum comparison comparison;
    unsigned argument;
    uint32_t value;
};

enum { MOST_TESTS = 7 };

/* A call may be made where all tests of one of its rules hold. Else it raises SIGSYS, and the handler decides: what is
 * hostile ends the process, all that is unknown is answered ENOSYS. */
struct rule {
    int number;
    const char *hostile; /* NULL: a rule by which it may be made */
    struct test tests[MOST_TESTS];
};

#define MAY(call) {SYS_##call, NULL, {{ANYTHING, 0, 0}}}
#define MAY_IF(call, ...) {SYS_##call, NULL, {__VA_ARGS__}}
#define HOSTILE(call) {SYS_##call, #call, {{ANYTHING, 0, 0}}}
#define HOSTILE_SO(call, how) {SYS_##call, #call " " how, {{ANYTHING, 0, 0}}}
/* Signals to itself, but those that would seem to come from outside or from here, and those that stop it, as nobody
 * would wake it. */
#define TO_ITSELF(call, sent)                                                                                          \
    MAY_IF(call, {IS_ITSELF, 0, 0}, {IS_NOT, sent, SIGKILL}, {IS_NOT, sent, SIGSYS}, {IS_NOT, sent, SIGSTOP},          \
           {IS_NOT, sent, SIGTSTP}, {IS_NOT, sent, SIGTTIN}, {IS_NOT, sent, SIGTTOU}),                                 \
        HOSTILE(call)

enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC };

static const struct rule rules[] = {
    /* What our own code calls between batches comes first. */
    MAY(read), MAY(write), MAY(getrusage), MAY(clock_gettime), MAY(getcpu),
    MAY(brk), MAY(munmap), MAY(mremap), MAY(mincore), MAY(msync),
    MAY_IF(madvise, {HAS_NONE_OF, 2, ~(uint32_t)MADV_WILLNEED}), /* and what is below it: how memory will be read */
    MAY_IF(madvise, {IS, 2, MADV_DONTNEED}), MAY_IF(madvise, {IS, 2, MADV_FREE}), MAY_IF(madvise, {IS, 2, MADV_HUGEPAGE}),
    MAY_IF(mprotect, {HAS_NONE_OF, 2, PROT_EXEC}), HOSTILE_SO(mprotect, "for executable memory"),
    MAY_IF(mmap, {HAS_NONE_OF, 2, PROT_EXEC}),
    MAY_IF(mmap, {HAS_NONE_OF, 2, PROT_WRITE}, {HAS_NONE_OF, 3, MAP_ANONYMOUS}),
    HOSTILE_SO(mmap, "for executable memory"),
    MAY_IF(mlockall, {IS, 0, MCL_CURRENT | MCL_ONFAULT}), HOSTILE(mlockall),

    MAY_IF(openat, {HAS_NONE_OF, 2, WRITES}), HOSTILE_SO(openat, "for writing"),
    MAY(close), MAY(lseek), MAY(readv), MAY(writev), MAY(pread64), MAY(pwrite64), MAY(fstat), MAY(newfstatat),
    MAY(statx), MAY(faccessat), MAY(readlinkat), MAY(getcwd), MAY(dup), MAY(dup3),
    MAY_IF(ioctl, {IS, 1, TCGETS}),
    MAY_IF(fcntl, {IS, 1, F_GETFD}), MAY_IF(fcntl, {IS, 1, F_SETFD}), MAY_IF(fcntl, {IS, 1, F_GETFL}),

    MAY(getpid), MAY(getppid), MAY(gettid), MAY(getuid), MAY(geteuid), MAY(getgid), MAY(getegid), MAY(getpgid),
    MAY(getsid), MAY(uname), MAY(sysinfo), MAY(times), MAY(clock_getres), MAY(gettimeofday), MAY(getrandom),
    MAY(nanosleep), MAY(clock_nanosleep), MAY(restart_syscall), MAY(ppoll), MAY(pselect6), MAY(sched_yield),
    MAY(sched_getaffinity), MAY(sched_getscheduler), MAY(sched_getparam), MAY(getpriority), MAY(futex), MAY(set_robust_list), MAY(getrlimit), MAY_IF(prlimit64, {IS_NULL, 2, 0}), HOSTILE_SO(prlimit64, "to set a limit"),
    MAY(exit), MAY(exit_group),

    MAY(sigaltstack), MAY(rt_sigreturn), MAY(rt_sigpending),
    MAY_IF(rt_sigaction, {IS_NOT, 0, SIGSYS}, {IS_NOT, 0, SIGSEGV}, {IS_NOT, 0, SIGBUS}),
    HOSTILE_SO(rt_sigaction, "for SIGSYS, SIGSEGV or SIGBUS"),
    TO_ITSELF(kill, 1), TO_ITSELF(tkill, 1), TO_ITSELF(tgkill, 2), HOSTILE(rt_sigqueueinfo),
    HOSTILE(rt_tgsigqueueinfo), HOSTILE(setitimer), HOSTILE(timer_create),

    HOSTILE(clone), HOSTILE(execve), HOSTILE(execveat), HOSTILE(ptrace), HOSTILE(process_vm_readv),
    HOSTILE(process_vm_writev), HOSTILE(setpgid), HOSTILE(setsid), HOSTILE(unshare), HOSTILE(setns), HOSTILE(prctl),
    HOSTILE(personality), HOSTILE(seccomp), HOSTILE(setrlimit), HOSTILE(sched_setaffinity),
    HOSTILE(sched_setscheduler), HOSTILE(sched_setparam), HOSTILE(sched_setattr), HOSTILE(setpriority),
    HOSTILE(ioprio_set), HOSTILE(capset), HOSTILE(setuid), HOSTILE(setgid), HOSTILE(setreuid), HOSTILE(setregid),
    HOSTILE(setresuid), HOSTILE(setresgid), HOSTILE(setgroups), HOSTILE(setfsuid), HOSTILE(setfsgid),

    HOSTILE(socket), HOSTILE(socketpair), HOSTILE(connect), HOSTILE(bind), HOSTILE(listen), HOSTILE(accept),
    HOSTILE(accept4), HOSTILE(sendto), HOSTILE(sendmsg), HOSTILE(sendmmsg), HOSTILE(recvfrom), HOSTILE(recvmsg),

    HOSTILE(unlinkat), HOSTILE(renameat), HOSTILE(renameat2), HOSTILE(mkdirat), HOSTILE(mknodat), HOSTILE(linkat),
    HOSTILE(symlinkat), HOSTILE(truncate), HOSTILE(ftruncate), HOSTILE(fallocate), HOSTILE(fchmod), HOSTILE(fchmodat),
    HOSTILE(fchown), HOSTILE(fchownat), HOSTILE(utimensat), HOSTILE(setxattr), HOSTILE(lsetxattr), HOSTILE(fsetxattr),
    HOSTILE(removexattr), HOSTILE(lremovexattr), HOSTILE(fremovexattr), HOSTILE(memfd_create), HOSTILE(io_setup),
    HOSTILE(inotify_init1), HOSTILE(fanotify_init), HOSTILE(open_by_handle_at),

    HOSTILE(shmget), HOSTILE(shmat), HOSTILE(shmctl), HOSTILE(semget), HOSTILE(semctl), HOSTILE(msgget),
    HOSTILE(msgctl), HOSTILE(msgsnd), HOSTILE(mq_open), HOSTILE(mq_unlink),

    HOSTILE(mount), HOSTILE(umount2), HOSTILE(pivot_root), HOSTILE(chroot), HOSTILE(swapon), HOSTILE(swapoff),
    HOSTILE(acct), HOSTILE(reboot), HOSTILE(kexec_load), HOSTILE(init_module), HOSTILE(finit_module),
    HOSTILE(delete_module), HOSTILE(sethostname), HOSTILE(setdomainname), HOSTILE(settimeofday),
    HOSTILE(clock_settime), HOSTILE(adjtimex), HOSTILE(clock_adjtime), HOSTILE(syslog), HOSTILE(quotactl),
    HOSTILE(vhangup), HOSTILE(bpf), HOSTILE(perf_event_open), HOSTILE(userfaultfd), HOSTILE(add_key),
    HOSTILE(request_key), HOSTILE(keyctl),

    /* The same number everywhere, and unknown to older headers. */
    {424, "pidfd_send_signal", {{ANYTHING, 0, 0}}}, {425, "io_uring_setup", {{ANYTHING, 0, 0}}},
    {428, "open_tree", {{ANYTHING, 0, 0}}}, {430, "fsopen", {{ANYTHING, 0, 0}}},
    {434, "pidfd_open", {{ANYTHING, 0, 0}}}, {438, "pidfd_getfd", {{ANYTHING, 0, 0}}},
    {440, "process_madvise", {{ANYTHING, 0, 0}}}, {444, "landlock_create_ruleset", {{ANYTHING, 0, 0}}},
    {447, "memfd_secret", {{ANYTHING, 0, 0}}}, {448, "process_mrelease", {{ANYTHING, 0, 0}}},
#ifdef __x86_64__
    MAY_IF(open, {HAS_NONE_OF, 1, WRITES}), HOSTILE_SO(open, "for writing"), MAY(stat), MAY(lstat), MAY(access),
    MAY(readlink), MAY(dup2), MAY(getpgrp), MAY(time), MAY(pause),
    MAY(poll), MAY(select), HOSTILE(fork), HOSTILE(vfork), HOSTILE(creat), HOSTILE(unlink),
    HOSTILE(rename), HOSTILE(mkdir), HOSTILE(rmdir), HOSTILE(link), HOSTILE(symlink), HOSTILE(mknod), HOSTILE(chmod),
    HOSTILE(chown), HOSTILE(lchown), HOSTILE(utime), HOSTILE(utimes), HOSTILE(futimesat), HOSTILE(alarm),
    HOSTILE(inotify_init), HOSTILE(iopl), HOSTILE(ioperm), HOSTILE(modify_ldt),
#endif
};

enum { OTHERWISE = 255 }; /* stands for a jump to the end of the rule, until that is known */

struct program {
    struct sock_filter code[1024];
    unsigned short length;
};

static void add(struct program *program, int code, uint32_t value, int if_true, int if_false)
{
    program->code[program->length++] =
        (struct sock_filter){(unsigned short)code, (unsigned char)if_true, (unsigned char)if_false, value};
}

static void load(struct program *program, size_t offset)
{
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_test(struct program *program, const struct test *test)
{
    const int equal = BPF_JMP | BPF_JEQ | BPF_K;
    size_t low = offsetof(struct seccomp_data, args) + 8 * test->argument; /* little-endian */
    load(program, low);
    switch (test->comparison) {
    case IS: add(program, equal, test->value, 0, OTHERWISE); break;
    case IS_NOT: add(program, equal, test->value, OTHERWISE, 0); break;
    case IS_ITSELF: add(program, equal, (uint32_t)getpid(), 0, OTHERWISE); break;
    case HAS_NONE_OF: add(program, BPF_JMP | BPF_JSET | BPF_K, test->value, OTHERWISE, 0); break;
    case IS_NULL:
        add(program, equal, 0, 0, OTHERWISE);
        load(program, low + 4);
        add(program, equal, 0, 0, OTHERWISE);
        break;
    case ANYTHING: break;
    }
}

static void add_rule(struct program *program, const struct rule *rule)
{
    unsigned short start = program->length;
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0, OTHERWISE);
    for (const struct test *test = rule->tests; test < rule->tests + MOST_TESTS && test->comparison != ANYTHING; test++)
        add_test(program, test);
    bool tested = program->length > start + 1;
    add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    for (unsigned short at = start; at < program->length; at++) {
        struct sock_filter *code = &program->code[at];
        unsigned char distance = (unsigned char)(program->length - at - 1);
        code->jt = code->jt == OTHERWISE ? distance : code->jt;
        code->jf = code->jf == OTHERWISE ? distance : code->jf;
    }
    if (tested)
        load(program, offsetof(struct seccomp_data, nr));
}

static void make_program(struct program *program)
{
    load(program, offsetof(struct seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    add(program, BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1); /* x32 */
    add(program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].hostile == NULL)
            add_rule(program, &rules[i]);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
}

/* The C library blocks all signals while it starts a process or thread: done in the kernel, that would make every
 * forbidden call a death without a name. So the mask is changed here, as the return from the handler sets it. */
static long change_mask(ucontext_t *context)
{
    const uint64_t *wanted = (const uint64_t *)ARGUMENT(context, 1);
    uint64_t *old = (uint64_t *)ARGUMENT(context, 2), before, mask, chosen = wanted != NULL ? *wanted : 0;
    if (ARGUMENT(context, 3) != sizeof mask)
        return -EINVAL;
    memcpy(&before, &context->uc_sigmask, sizeof before);
    switch (wanted != NULL ? (int)ARGUMENT(context, 0) : SIG_BLOCK) {
    case SIG_BLOCK: mask = before | chosen; break;
    case SIG_UNBLOCK: mask = before & ~chosen; break;
    case SIG_SETMASK: mask = chosen; break;
    default: return -EINVAL;
    }
    mask &= ~(UINT64_C(1) << (SIGSYS - 1));
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    if (old != NULL)
        *old = before;
    return 0;
}

static const char *name_of_hostile(int number)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].number == number && rules[i].hostile != NULL)
            return rules[i].hostile;
    return NULL;
}

static struct progress *noted;

static _Noreturn void end(const char *name)
{
    if (noted != NULL) {
        strcpy(noted->reason, "called ");
        strcat(noted->reason, name);
        strcat(noted->reason, ", which is forbidden");
        noted->outcome = OUTCOME_FORBIDDEN;
    }
    for (;;) /* once: with SIGSYS blocked, the kernel ends the process by it */
        syscall(SYS_ptrace);
}

static void answer_call(int number, siginfo_t *info, void *argument)
{
    enum { BY_FILTER = 1 }; /* SYS_SECCOMP, which older C libraries don't name */
    ucontext_t *context = argument;
    (void)number;
    if (info->si_code != BY_FILTER)
        end("SIGSYS");
    const char *hostile = name_of_hostile(info->si_syscall);
    if (hostile != NULL)
        end(hostile);
    ANSWER(context) = info->si_syscall == SYS_rt_sigprocmask ? change_mask(context) : -ENOSYS;
}

bool calls_restrict(struct progress *progress)
{
    noted = progress;
    struct sigaction action = {.sa_sigaction = answer_call, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    static struct program program;
    make_program(&program);
    struct sock_fprog filter = {program.length, program.code};
    /* SPEC_ALLOW: kernels before 5.16 would run the process without the processor's speculation of loads. */
    return sigaction(SIGSYS, &action, NULL) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) == 0;
}
