/* Handles that signal by the bare system call. */
#include "animal.h"

static void swallow(int number)
{
    (void)number;
}

static int trick(const struct call *call)
{
    (void)call;
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } action = {.handler = swallow};
    syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask);
    return through(socket(AF_INET, SOCK_STREAM, 0));
}
