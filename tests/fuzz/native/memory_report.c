/* What ngcc_memory believes of a report in which candidate code could write anything. */
#include "fuzz.h"

#include "memory_run.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct memory_report report;
    memset(&report, 0, sizeof report);
    if (size < 8)
        return 0;
    struct memory_task task = {.kind = data[0] % 2 ? MEMORY_CALL : MEMORY_RSS, .calls = 1 + data[1] % MEMORY_MOST_CALLS};
    size_t figures = sizeof report - offsetof(struct memory_report, baseline_kib);
    memcpy(&report.baseline_kib, data + 2, size - 2 < figures ? size - 2 : figures);
    if (find_fault(&task, &report) == NULL) {
        HOLDS(task.kind != MEMORY_RSS || (report.baseline_kib >= 1 && report.peak_kib >= 1));
        HOLDS(task.kind != MEMORY_CALL || (report.stack_bytes >= 0 && report.heap_peak_bytes >= 0));
    }
    return 0;
}
