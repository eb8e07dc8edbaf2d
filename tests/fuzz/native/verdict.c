/* What ngcc_perf reads of a verdict: a library that may be timed, a reason why not, or a sentence and status 1. */
#include "fuzz.h"

#include "child.h"
#include "cpu.h"
#include "drng.h"
#include "file.h"
#include "json.h"
#include "measure.h"
#include "record.h"
#include "self.h"

#define exit fuzz_leave
#define main perf_main
#define file_text(path, why) fuzz_keep(file_text(path, why))
#define strdup(text) fuzz_keep(strdup(text))
#define free(memory) ((void)(memory))
#include "perf.c"
#undef free

/* Whether the width stands in the document as it was understood. */
static bool stands(const uint8_t *data, size_t size, int bits)
{
    char *text = fuzz_keep(calloc(size + 1, 1)), value[64] = "", expected[16];
    memcpy(text, data, size);
    snprintf(expected, sizeof expected, "%d", bits);
    return json_field(text, "digest_bits", value, sizeof value) == 0 && strcmp(value, expected) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct record record;
    bool timed = false;
    memset(&record, 0, sizeof record);
    const char *file = fuzz_file(data, size);
    int status = LEAVES(timed = read_verdict(file, &record));
    HOLDS(status == -1 || status == 1);
    if (status == -1) {
        HOLDS(record.digest_bits >= 1 && record.digest_bits <= TRIAL_MAX_DIGEST_BITS && stands(data, size, record.digest_bits));
        HOLDS(strlen(record.verdict_sha256) == 64 && record.candidate != NULL && record.instance != NULL);
        HOLDS(!timed || record.library != NULL);
        HOLDS(strnlen(record.library_sha256, 65) <= 64 && strnlen(record.reason, TRIAL_TEXT) < TRIAL_TEXT);
    }
    fuzz_free();
    return 0;
}
