#include "watchdog.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* SIGCONT lets a stopped process speak; one that is stopped again and again has so many seconds until SIGKILL. */
enum { LAST_WORDS_SECONDS = 10 };

static char told[160];

static void give_up(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (info->si_code != SI_TIMER) /* somebody lets it go on */
        return;
    if (write(STDERR_FILENO, told, strlen(told)) < 0)
        _exit(2);
    _exit(1);
}

static bool make_timer(int number, timer_t *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    return timer_create(CLOCK_MONOTONIC, &event, timer) == 0;
}

static bool make_timers(timer_t timers[2])
{
    struct sigaction action = {.sa_sigaction = give_up, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGCONT, &action, NULL) == 0 && make_timer(SIGCONT, &timers[0]) && make_timer(SIGKILL, &timers[1]);
}

void watchdog_allow(double seconds)
{
    static timer_t timers[2];
    static bool tried, made;
    if (!tried)
        made = make_timers(timers);
    tried = true;
    snprintf(told, sizeof told,
             "ngcc_perf: it neither finished nor answered for %.0f s: something stopped it, the library or a person; "
             "run again.\n",
             seconds + WATCHDOG_BESIDES);
    for (int i = 0; made && i < 2; i++) {
        double left = seconds + WATCHDOG_BESIDES + i * LAST_WORDS_SECONDS;
        struct itimerspec end = {.it_value = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)}};
        timer_settime(timers[i], 0, &end, NULL);
    }
}
