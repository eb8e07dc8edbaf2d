/* The command line of ngcc_perf: options within their bounds, or status 2; 0 for help. */
#include "fuzz.h"

#include <getopt.h>

#define exit fuzz_leave
#define calloc(count, size) fuzz_keep(calloc(count, size))
#include "options.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options told;
    char *words[64];
    int count = fuzz_words(data, size, words, 63);
    optind = 0;
    int status = LEAVES(options_parse(count, words, &told));
    HOLDS(status == -1 || status == 0 || status == 2);
    if (status == -1) {
        HOLDS((told.verdict != NULL) != (told.library != NULL));
        HOLDS(told.digest_bits >= 0 && told.digest_bits <= TRIAL_MAX_DIGEST_BITS && told.message_bytes <= MAX_MESSAGE_BYTES);
        HOLDS(told.limits.trials >= 1 && told.limits.trials <= PLAN_MAX_TRIALS && told.limits.target_ns >= 1);
        HOLDS(told.limits.precision >= 0.0001 && told.limits.precision <= 1 && told.limits.budget_ns >= 1);
        HOLDS(told.limits.patience >= 1 && told.limits.patience <= 1000 && told.made_from_count < count);
        options_made_from(&told, "machine");
    }
    fuzz_free();
    return 0;
}
