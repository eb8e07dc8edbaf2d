/* Preloaded, answers perf_event_open and the reads of its counter as the environment says:
 * STAND_IN_ERRNO    perf_event_open fails with this number;
 * STAND_IN_HZ       cycles a second (default 1e9);
 * STAND_IN_RUNNING  share of the time that the counter runs (default 1);
 * STAND_IN_READS    readings after which it stands still;
 * STAND_IN_PINNED   0: a pinned counter opens, but doesn't answer;
 * STAND_IN_LOG      file for the attributes that were asked for;
 * STAND_IN_OPENS    lines of that file after which perf_event_open answers EMFILE. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int counter = -1;
static bool silent;

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atof(text) : otherwise;
}

/* The environment is forgotten before a library is loaded. */
static double error_number, hz, running, most_reads, pinned, most_opens;

__attribute__((constructor)) static void read_settings(void)
{
    error_number = setting("STAND_IN_ERRNO", 0);
    hz = setting("STAND_IN_HZ", 1e9);
    running = setting("STAND_IN_RUNNING", 1);
    most_reads = setting("STAND_IN_READS", 1e9);
    pinned = setting("STAND_IN_PINNED", 1);
    most_opens = setting("STAND_IN_OPENS", 1e9);
}

/* Returns how many lines the log holds now. */
static int log_attributes(const struct perf_event_attr *attributes)
{
    const char *path = getenv("STAND_IN_LOG");
    FILE *file = path != NULL ? fopen(path, "a+") : NULL;
    if (file == NULL)
        return 0;
    fprintf(file, "type %u config %llu read_format %llu pinned %u exclude_kernel %u exclude_hv %u\n",
            attributes->type, (unsigned long long)attributes->config, (unsigned long long)attributes->read_format,
            attributes->pinned, attributes->exclude_kernel, attributes->exclude_hv);
    rewind(file);
    int lines = 0;
    for (int byte; (byte = fgetc(file)) != EOF;)
        lines += byte == '\n';
    fclose(file);
    return lines;
}

static int open_counter(const struct perf_event_attr *attributes)
{
    int opens = log_attributes(attributes);
    errno = opens > most_opens ? EMFILE : (int)error_number;
    silent = attributes->pinned && pinned == 0;
    if (errno == 0)
        counter = memfd_create("counter", 0);
    return counter;
}

long syscall(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open)
        return open_counter((const struct perf_event_attr *)a[0]);
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t read(int file, void *buffer, size_t bytes)
{
    static int reads;
    static uint64_t now;
    if (file != counter || counter < 0) {
        ssize_t (*real)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
        return real(file, buffer, bytes);
    }
    if (silent)
        return 0;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    if (reads++ < most_reads)
        now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    uint64_t answer[3] = {(uint64_t)((double)now / 1e9 * hz), now,
                          (uint64_t)((double)now * running)};
    memcpy(buffer, answer, sizeof answer);
    return sizeof answer;
}
