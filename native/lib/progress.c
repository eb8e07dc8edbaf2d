#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __x86_64__
#define INSTRUCTION(context) ((context)->uc_mcontext.gregs[REG_RIP])
#else
#define INSTRUCTION(context) ((context)->uc_mcontext.pc)
#endif

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"DONE",     "ERROR",    "CRASH",     "TIMEOUT",
                                        "OVERFLOW", "UNSTABLE", "FORBIDDEN",
                                        "KILLED"};
    return names[outcome];
}

static struct {
    struct progress *progress;
    const struct region *regions;
    size_t count;
    unsigned char stack[1 << 16];
} watch;

static void note(enum outcome outcome, const char *reason)
{
    if (watch.progress->outcome != OUTCOME_DONE)
        return;
    strncpy(watch.progress->reason, reason, sizeof watch.progress->reason - 1);
    watch.progress->outcome = outcome;
}

static void note_fault(int number, siginfo_t *info, void *context)
{
    const unsigned char *address = info->si_addr;
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR &&
        (uintptr_t)address == (uintptr_t)INSTRUCTION((const ucontext_t *)context))
        note(OUTCOME_CRASH, "jumped into data, as calls of nested functions by address do (no stack is executable)");
    for (size_t i = 0; i < watch.count; i++) {
        const struct region *region = &watch.regions[i];
        if (address >= region->start && address < region->end)
            note(region->outcome, region->reason);
    }
    /* The instruction faults again, and now ends the process. */
}

void progress_watch(struct progress *progress, const struct region *regions, size_t count)
{
    watch.progress = progress;
    watch.regions = regions;
    watch.count = count;
    sigaltstack(&(stack_t){.ss_sp = watch.stack, .ss_size = sizeof watch.stack}, NULL);
    struct sigaction action = {.sa_sigaction = note_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

void progress_stop(struct progress *progress, enum outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(progress->reason, sizeof progress->reason, format, arguments);
    va_end(arguments);
    progress->outcome = outcome;
    _exit(0);
}

/* Nothing of the library ran: whatever it was, it says nothing about it. */
static enum outcome judge_unready(const struct progress *progress, struct child_outcome end, double seconds,
                                  char *reason, size_t capacity)
{
    char name[32];
    if (progress->outcome == OUTCOME_KILLED)
        snprintf(reason, capacity, "%s", progress->reason);
    else if (end.end == CHILD_TIMED_OUT)
        snprintf(reason, capacity, "was not ready to load the library within %.3g s", seconds);
    else if (end.end == CHILD_SIGNALLED)
        snprintf(reason, capacity, "%s before the library was loaded", child_signal_name(end.code, name, sizeof name));
    else if (end.code == CHILD_NOT_EXECUTED)
        snprintf(reason, capacity, "%s can't be run again", program_invocation_short_name);
    else
        snprintf(reason, capacity, "ended with status %d before the library was loaded", end.code);
    return OUTCOME_KILLED;
}

/* That a forbidden call ended the process is the kernel's word; which it was, the process's own. */
static enum outcome judge_forbidden(const struct progress *progress, const char *where, char *reason, size_t capacity)
{
    const char *what = progress->outcome == OUTCOME_FORBIDDEN ? progress->reason : "made a system call that is forbidden";
    snprintf(reason, capacity, "%.*s %s", (int)strnlen(what, sizeof progress->reason), what, where);
    return OUTCOME_FORBIDDEN;
}

enum outcome progress_judge(const struct progress *progress, struct child_outcome end, double seconds,
                            const char *where, char *reason, size_t capacity)
{
    char name[32];
    if (!end.ready)
        return judge_unready(progress, end, seconds, reason, capacity);
    if (progress->stage == STAGE_LOADING)
        where = "while the library was loaded";
    if (end.end == CHILD_SIGNALLED && end.code == SIGSYS)
        return judge_forbidden(progress, where, reason, capacity);
    if (end.end == CHILD_SIGNALLED && end.code == SIGXCPU) {
        snprintf(reason, capacity, "used up its CPU time, last %s", where);
        return OUTCOME_TIMEOUT;
    }
    if (end.end == CHILD_TIMED_OUT) {
        snprintf(reason, capacity, "ran longer than %.3g s, last %s", seconds, where);
        return OUTCOME_TIMEOUT;
    }
    if (end.end == CHILD_SIGNALLED && end.code == SIGKILL) {
        snprintf(reason, capacity, "killed from outside, as the kernel does where memory is short, %s", where);
        return OUTCOME_KILLED;
    }
    /* Candidate code could have written anything here, but nothing that has it tried again. */
    if (progress->outcome != OUTCOME_DONE && progress->outcome < OUTCOME_KILLED) {
        int length = (int)strnlen(progress->reason, sizeof progress->reason);
        snprintf(reason, capacity, "%.*s%s%s", length, progress->reason, progress->stage == STAGE_LOADING ? "" : " ",
                 progress->stage == STAGE_LOADING ? "" : where);
        return (enum outcome)progress->outcome;
    }
    if (end.end == CHILD_SIGNALLED) {
        snprintf(reason, capacity, "%s %s", child_signal_name(end.code, name, sizeof name), where);
        return OUTCOME_CRASH;
    }
    if (progress->stage != STAGE_FINISHED) {
        snprintf(reason, capacity, "called exit(%d) %s", end.code, where);
        return OUTCOME_CRASH;
    }
    reason[0] = '\0';
    return OUTCOME_DONE;
}
