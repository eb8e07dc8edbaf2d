#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { WORD_BITS = 8 * sizeof(unsigned long) };

static void add(struct cpu_list *list, int cpu)
{
    list->bits[cpu / WORD_BITS] |= 1UL << (cpu % WORD_BITS);
}

bool cpu_list_has(const struct cpu_list *list, int cpu)
{
    return cpu >= 0 && cpu < CPU_LIMIT && (list->bits[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1) != 0;
}

static bool parse_cpu(const char **text, long *cpu)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    *cpu = strtol(*text, &end, 10);
    *text = end;
    return *cpu < CPU_LIMIT;
}

bool cpu_list_parse(const char *text, struct cpu_list *list)
{
    memset(list, 0, sizeof *list);
    for (;;) {
        long first, last;
        if (!parse_cpu(&text, &first))
            return false;
        last = first;
        if (*text == '-' && (text++, !parse_cpu(&text, &last)))
            return false;
        for (long cpu = first; cpu <= last; cpu++)
            add(list, (int)cpu);
        if (*text != ',')
            return strcmp(text, "") == 0 || strcmp(text, "\n") == 0;
        text++;
    }
}

void cpu_list_format(const struct cpu_list *list, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int first = 0; first < CPU_LIMIT; first++) {
        if (!cpu_list_has(list, first))
            continue;
        int last = first;
        while (cpu_list_has(list, last + 1))
            last++;
        const char *comma = used > 0 ? "," : "";
        int length = first == last ? snprintf(text + used, capacity - used, "%s%d", comma, first)
                                   : snprintf(text + used, capacity - used, "%s%d-%d", comma, first, last);
        if ((size_t)length >= capacity - used) {
            text[used] = '\0'; /* whole items only */
            return;
        }
        used += (size_t)length;
        first = last;
    }
}

int cpu_allowed(struct cpu_list *list)
{
    memset(list, 0, sizeof *list);
    return sched_getaffinity(0, sizeof *list, (cpu_set_t *)list);
}

static bool read_line(const char *path, char *text, size_t capacity)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool found = fgets(text, (int)capacity, file) != NULL;
    fclose(file);
    return found;
}

/* The CPUs of a kind of core, "cpu_core" or "cpu_atom", on a hybrid x86 processor. */
static bool read_core_kind(const char *sysfs, const char *kind, struct cpu_list *list)
{
    char path[512], line[4096];
    snprintf(path, sizeof path, "%s/devices/%s/cpus", sysfs, kind);
    return read_line(path, line, sizeof line) && cpu_list_parse(line, list);
}

int cpu_choose(const struct cpu_list *allowed, const char *sysfs)
{
    struct cpu_list performance;
    bool hybrid = read_core_kind(sysfs, "cpu_core", &performance);
    int any = -1, fast = -1;
    for (int cpu = 0; cpu < CPU_LIMIT; cpu++) {
        if (!cpu_list_has(allowed, cpu))
            continue;
        any = cpu;
        if (hybrid && cpu_list_has(&performance, cpu))
            fast = cpu;
    }
    return fast >= 0 ? fast : any;
}

unsigned cpu_pmu_type(int cpu, const char *sysfs)
{
    static const char *const kinds[] = {"cpu_core", "cpu_atom"};
    for (size_t i = 0; i < 2; i++) {
        struct cpu_list list;
        char path[512], line[64];
        snprintf(path, sizeof path, "%s/devices/%s/type", sysfs, kinds[i]);
        if (read_core_kind(sysfs, kinds[i], &list) && cpu_list_has(&list, cpu) && read_line(path, line, sizeof line))
            return (unsigned)strtoul(line, NULL, 10);
    }
    return 0;
}

bool cpu_pin(int cpu)
{
    struct cpu_list wanted = {{0}}, found;
    add(&wanted, cpu);
    if (sched_setaffinity(0, sizeof wanted, (cpu_set_t *)&wanted) != 0 || cpu_allowed(&found) < 0)
        return false;
    return memcmp(&wanted, &found, sizeof wanted) == 0 && sched_getcpu() == cpu;
}

struct cpu_list cpu_half(const struct cpu_list *list, bool upper)
{
    struct cpu_list half = {{0}};
    int count = 0, passed = 0;
    for (int cpu = 0; cpu < CPU_LIMIT; cpu++)
        count += cpu_list_has(list, cpu);
    if (count < 2)
        return *list;
    for (int cpu = 0; cpu < CPU_LIMIT; cpu++)
        if (cpu_list_has(list, cpu) && (passed++ >= count / 2) == upper)
            add(&half, cpu);
    return half;
}

void cpu_restrict(const struct cpu_list *list)
{
    sched_setaffinity(0, sizeof *list, (const cpu_set_t *)list);
}

void cpu_model(int cpu, const char *cpuinfo, char *model, size_t capacity)
{
    char line[256];
    int number = -1;
    model[0] = '\0';
    FILE *file = fopen(cpuinfo, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (value == NULL)
            continue;
        if (strncmp(line, "processor", 9) == 0)
            number = atoi(value + 1);
        else if (number == cpu && (strncmp(line, "model name", 10) == 0 || strncmp(line, "CPU part", 8) == 0))
            snprintf(model, capacity, "%s", value + 1 + strspn(value + 1, " "));
    }
    if (file != NULL)
        fclose(file);
}

/* Opening before creating: with fs.protected_regular the kernel refuses O_CREAT on another user's file in /tmp.
 * O_NONBLOCK: a FIFO that somebody left there must not hang us. */
static int open_lock(const char *path)
{
    for (int attempt = 0; attempt < 10; attempt++) {
        int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file >= 0 || errno != ENOENT)
            return file;
        mode_t mask = umask(0); /* other users lock it too, also where we die before we could change its mode */
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0644);
        umask(mask);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* The process that holds the lock of a file, by the kernel's list of locks; 0 where that does not tell. */
static int holder(int file)
{
    struct stat status;
    char line[256], where[64];
    int process = 0;
    FILE *locks = fstat(file, &status) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (locks == NULL)
        return 0;
    snprintf(where, sizeof where, "%02x:%02x:%llu", major(status.st_dev), minor(status.st_dev),
             (unsigned long long)status.st_ino);
    while (process == 0 && fgets(line, sizeof line, locks) != NULL) {
        char found[64];
        int number;
        if (sscanf(line, "%*s FLOCK %*s %*s %d %63s", &number, found) == 2 && strcmp(found, where) == 0)
            process = number;
    }
    fclose(locks);
    return process;
}

/* "process 123 of user alice; ", as far as it can be known. */
static void tell_holder(int file, char *text, size_t capacity)
{
    char path[32];
    struct stat status;
    int process = holder(file);
    snprintf(path, sizeof path, "/proc/%d", process);
    text[0] = '\0';
    if (process == 0 || stat(path, &status) != 0)
        return;
    const struct passwd *user = getpwuid(status.st_uid);
    if (user != NULL)
        snprintf(text, capacity, "process %d of user %s; ", process, user->pw_name);
    else
        snprintf(text, capacity, "process %d of user %u; ", process, (unsigned)status.st_uid);
}

/* A wait for one record of another campaign, as they take turns, is not worth a word. */
enum { PATIENCE_SECONDS = 10 };

static void end_patience(int number)
{
    (void)number; /* what counts is that it interrupts the wait */
}

static void tell_wait(int cpu, int file, const char *path)
{
    char who[128];
    const char *told = "ngcc_perf: waiting for CPU %d, which another ngcc_perf is using (%s%s).\n";
    tell_holder(file, who, sizeof who);
    fprintf(stderr, told, cpu, who, path);
    if (getenv(CPU_RUN) != NULL) {
        printf(told, cpu, who, path);
        fflush(stdout);
    }
}

int cpu_lock(int cpu, char *path, size_t capacity)
{
    snprintf(path, capacity, "/tmp/ngcc_perf-cpu%d.lock", cpu);
    int file = open_lock(path);
    if (file < 0)
        return -1;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        return 0;
    struct sigaction action = {.sa_handler = end_patience}, before;
    sigaction(SIGALRM, &action, &before);
    alarm(PATIENCE_SECONDS);
    int answer;
    while ((answer = flock(file, LOCK_EX)) != 0 && errno == EINTR)
        tell_wait(cpu, file, path);
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    return answer;
}

long cpu_frequency_khz(int cpu)
{
    char path[128], line[64];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    long frequency = read_line(path, line, sizeof line) ? strtol(line, NULL, 10) : 0;
    return frequency > 0 ? frequency : -1;
}
