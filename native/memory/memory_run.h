/* Memory of calls into a library, seen from inside freshly executed processes: what a process has used before an exec
 * (ru_maxrss, say) does not reach these figures. */
#ifndef NGCC_MEMORY_RUN_H
#define NGCC_MEMORY_RUN_H

#include <limits.h>
#include <stdint.h>

#include "progress.h"
#include "sandbox.h"

enum { MEMORY_MOST_CALLS = 1000 };

enum memory_kind {
    MEMORY_RSS, /* resident sets of the process; nothing is painted or counted meanwhile */
    MEMORY_CALL /* stack and heap of the calls alone */
};

struct memory_task {
    enum memory_kind kind;
    unsigned digest_bits, calls;
    uint64_t message_bytes;
    double seconds; /* that the process may take */
    struct sandbox sandbox;
    char library[PATH_MAX];
};

struct memory_report {
    struct progress progress;
    int64_t baseline_kib, peak_kib; /* VmRSS before the first call, VmHWM after the last */
    int64_t stack_bytes;     /* from the stack pointer at the call to the lowest byte that any of the calls touched */
    int64_t heap_peak_bytes; /* highest level during the calls, against the one before the first */
    int64_t heap_live_bytes[MEMORY_MOST_CALLS]; /* level after each call */
};

/* Runs one process, a fresh image of this program. The reason is a sentence, empty when DONE. */
enum outcome memory_run(const struct memory_task *task, struct memory_report *report, char *reason, size_t capacity);

/* Hidden mode of the program: `ngcc_memory MEMORY_OPTION EXCHANGE`, a file descriptor that memory_run passes on. */
#define MEMORY_OPTION "--process"
int memory_process(int exchange);

struct memory_exchange {
    struct memory_task task;
    struct memory_report report;
};

#endif
