#include "counter.h"

#include "clock.h"
#include "cpu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What to do about an errno that perf_event_open gives. */
static void explain(int error, char *why, size_t capacity)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{ENOENT, "ENOENT"}, {ENODEV, "ENODEV"}, {EOPNOTSUPP, "EOPNOTSUPP"}, {ENOSYS, "ENOSYS"},
                 {EACCES, "EACCES"}, {EPERM, "EPERM"},   {EMFILE, "EMFILE"},         {EINVAL, "EINVAL"}};
    const char *name = strerror(error);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == error)
            name = known[i].name;
    int used = snprintf(why, capacity, "perf_event_open answered %s", name);
    why += used, capacity -= (size_t)used;
    if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP) {
        snprintf(why, capacity, ": this machine offers no hardware cycle counter");
    } else if (error == ENOSYS) {
        snprintf(why, capacity, ": the kernel, or the container around it, has no such call");
    } else if (error == EACCES || error == EPERM) {
        char level[16] = "unreadable";
        FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
        if (file != NULL) {
            if (fscanf(file, "%15s", level) != 1)
                strcpy(level, "unreadable");
            fclose(file);
        }
        snprintf(why, capacity,
                 ": kernel.perf_event_paranoid is %s; at 2 or below (sysctl kernel.perf_event_paranoid=2) only a "
                 "container's or sandbox's filter can refuse",
                 level);
    }
}

static void spin(void)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
}

/* Two stretches of work must both be seen. NULL where they are. */
static const char *try_out(int counter)
{
    struct counter_reading before, after, difference;
    const char *fault = NULL;
    for (int stretch = 0; stretch < 2 && fault == NULL; stretch++) {
        bool answers = counter_read(counter, &before);
        int64_t start = clock_now_ns();
        spin();
        int64_t elapsed_ns = clock_now_ns() - start;
        answers = counter_read(counter, &after) && answers;
        fault = answers ? counter_difference(&before, &after, elapsed_ns, &difference) : "did not answer";
    }
    return fault;
}

static int open_and_try(int cpu, bool pinned, char *why, size_t capacity)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_HW_CPU_CYCLES | (uint64_t)cpu_pmu_type(cpu, "/sys") << 32,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .pinned = pinned,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int counter = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (counter < 0) {
        explain(errno, why, capacity);
        return -1;
    }
    const char *fault = try_out(counter);
    if (fault != NULL) {
        snprintf(why, capacity, "the cycle counter opened, then %s in a busy loop", fault);
        close(counter);
        return -1;
    }
    return counter;
}

int counter_open(int cpu, bool *pinned, char *why, size_t capacity)
{
    int counter = open_and_try(cpu, *pinned = true, why, capacity);
    return counter >= 0 ? counter : open_and_try(cpu, *pinned = false, why, capacity);
}

bool counter_read(int counter, struct counter_reading *reading)
{
    return read(counter, reading, sizeof *reading) == (ssize_t)sizeof *reading;
}

const char *counter_difference(const struct counter_reading *start, const struct counter_reading *end,
                               int64_t elapsed_ns, struct counter_reading *difference)
{
    if (end->cycles <= start->cycles || end->enabled_ns < start->enabled_ns || end->running_ns <= start->running_ns)
        return "did not count";
    *difference = (struct counter_reading){end->cycles - start->cycles, end->enabled_ns - start->enabled_ns,
                                           end->running_ns - start->running_ns};
    return counter_fault(difference, elapsed_ns);
}

const char *counter_fault(const struct counter_reading *difference, int64_t elapsed_ns)
{
    /* Reading counter and clock belongs to the counts, but not to the time; the kernel's own time tells how long. */
    static const double MOST_CYCLES_PER_NS = 10, READING_NS = 1000;
    double enabled = (double)difference->enabled_ns, running = (double)difference->running_ns;
    if (difference->cycles == 0 || difference->running_ns == 0)
        return "did not count";
    if (running > enabled)
        return "ran longer than it was enabled";
    if ((double)difference->cycles * enabled / running >
        MOST_CYCLES_PER_NS * fmax((double)elapsed_ns + READING_NS, enabled))
        return "counted more than 10 cycles a nanosecond";
    return NULL;
}
