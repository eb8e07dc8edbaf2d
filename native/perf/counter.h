/* Core cycles in user mode from the kernel's counter (perf_event_open). */
#ifndef NGCC_COUNTER_H
#define NGCC_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the kernel lays it out for PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING. */
struct counter_reading {
    uint64_t cycles, enabled_ns, running_ns;
};

/* Opens a counter of this process's cycles on the CPU it is pinned to, and tries it on a short busy loop: first one
 * that never gives way to other counters (*pinned), then one that may. Returns a file descriptor, or -1 with a sentence
 * in `why`. */
int counter_open(int cpu, bool *pinned, char *why, size_t capacity);

/* False if the counter doesn't answer. */
bool counter_read(int counter, struct counter_reading *reading);

/* What passed between two readings with `elapsed_ns` of work between them. Returns NULL, or a clause that tells why the
 * counter is not to be believed, as in "did not count". */
const char *counter_difference(const struct counter_reading *start, const struct counter_reading *end,
                               int64_t elapsed_ns, struct counter_reading *difference);

/* NULL, or what is wrong with a difference. */
const char *counter_fault(const struct counter_reading *difference, int64_t elapsed_ns);

#endif
