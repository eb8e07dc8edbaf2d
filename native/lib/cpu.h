/* Which CPUs this process may use, which one it takes, and a lock so that no two drivers take the same. */
#ifndef NGCC_CPU_H
#define NGCC_CPU_H

#include <stdbool.h>
#include <stddef.h>

enum { CPU_LIMIT = 8192 }; /* the most that a Linux kernel can be built for */

struct cpu_list {
    unsigned long bits[CPU_LIMIT / (8 * sizeof(unsigned long))];
};

bool cpu_list_has(const struct cpu_list *list, int cpu);

/* Reads "0-3,8-11,64", a line end allowed. False on anything else. */
bool cpu_list_parse(const char *text, struct cpu_list *list);

/* Writes the same form. */
void cpu_list_format(const struct cpu_list *list, char *text, size_t capacity);

/* Online CPUs in this process's affinity mask. Returns 0, or -1 with errno set. */
int cpu_allowed(struct cpu_list *list);

/* The last allowed CPU, of the performance cores where `sysfs` ("/sys") tells them apart and allows one; -1 if none. */
int cpu_choose(const struct cpu_list *allowed, const char *sysfs);

/* Type of the PMU that counts on this CPU where kinds of cores have PMUs of their own (hybrid x86), else 0. */
unsigned cpu_pmu_type(int cpu, const char *sysfs);

/* Pins the calling process and reads the mask back: true if it is exactly this CPU. */
bool cpu_pin(int cpu);

/* The lower half of the CPUs of a list, or the upper one; all of them where there is but one. */
struct cpu_list cpu_half(const struct cpu_list *list, bool upper);

/* Lets the calling process use these CPUs. */
void cpu_restrict(const struct cpu_list *list);

/* The CPU's model as `cpuinfo` ("/proc/cpuinfo") names it; its part number where it has no name; "" if neither. */
void cpu_model(int cpu, const char *cpuinfo, char *model, size_t capacity);

/* The environment's name for the run of the workflow that started this program as a job, by its process number. */
#define CPU_RUN "NGCC_CAMPAIGN_RUN"

/* Takes the CPU's lock, which the kernel releases with this process; waits while another process holds it, and
 * after ten seconds says for whom on standard error (a job's is a log; so, as a job, on standard output too). Returns 0,
 * or -1 with errno set and the lock's path in `path`. */
int cpu_lock(int cpu, char *path, size_t capacity);

/* Present frequency of the CPU in kHz as cpufreq tells it, or -1. */
long cpu_frequency_khz(int cpu);

#endif
