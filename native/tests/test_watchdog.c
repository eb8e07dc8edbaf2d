/* The driver's end where it is stopped; tests/test_perf_cpu.py has the whole driver. */
#include "watchdog.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* How a process ends that stops itself, or waits, with 0.1 s to do so; its words in `words`. */
static int status_of(int stop, char *words, size_t capacity)
{
    int ends[2], status = 0;
    memset(words, 0, capacity);
    CHECK(pipe(ends) == 0);
    pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDERR_FILENO);
        watchdog_allow(0.1 - WATCHDOG_BESIDES);
        raise(SIGCONT); /* a person's means nothing */
        if (stop != 0)
            raise(stop);
        for (;;)
            pause();
    }
    close(ends[1]);
    CHECK(waitpid(process, &status, 0) == process);
    CHECK(read(ends[0], words, capacity - 1) > 0);
    close(ends[0]);
    return status;
}

int main(void)
{
    static const int stops[] = {0, SIGSTOP, SIGTSTP};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        char words[256];
        int status = status_of(stops[i], words, sizeof words);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        CHECK(strstr(words, "neither finished nor answered") != NULL);
    }
    return failures != 0;
}
