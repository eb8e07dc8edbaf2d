/* What is made of shared memory in which candidate code could write anything: an outcome that exists, and a text within
 * its bounds. */
#include "fuzz.h"

#include "progress.h"

struct circumstances {
    struct progress progress;
    uint8_t ready, end, code, capacity, where;
    double seconds;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct circumstances told = {.seconds = 1};
    char *where = fuzz_keep(calloc(256, 1));
    memcpy(&told, data, size < sizeof told ? size : sizeof told);
    memset(where, 'w', told.where);
    size_t capacity = 1 + told.capacity;
    char *reason = fuzz_keep(malloc(capacity));
    struct child_outcome end = {.end = told.end % 3, .code = told.code, .ready = told.ready & 1};
    if (!end.ready) /* no candidate code ran yet: our own child wrote it */
        told.progress.reason[sizeof told.progress.reason - 1] = '\0';
    enum outcome outcome = progress_judge(&told.progress, end, told.seconds, where, reason, capacity);
    HOLDS(outcome >= OUTCOME_DONE && outcome <= OUTCOME_KILLED && outcome_name(outcome) != NULL);
    HOLDS(strnlen(reason, capacity) < capacity);
    HOLDS(outcome != OUTCOME_DONE || (end.ready && end.end == CHILD_EXITED && told.progress.stage == STAGE_FINISHED));
    fuzz_free();
    return 0;
}
