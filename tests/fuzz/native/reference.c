/* The canary's file: a time above 0 that stands there and is ours, or 0; and the rule by which it is believed. */
#include "fuzz.h"

#include "json.h"
#include "reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reference reference = {.key = "the key"};
    const char *file = fuzz_file(data, size);
    int64_t ns = reference_read(&reference, file);
    HOLDS(ns >= 0);
    if (ns > 0) {
        char *text = calloc(size + 1, 1), value[64], expected[64];
        memcpy(text, data, size);
        HOLDS(json_field(text, "key", value, sizeof value) == 0 && strcmp(value, "the key") == 0);
        HOLDS(json_field(text, "best_ns", value, sizeof value) == 0);
        snprintf(expected, sizeof expected, "%lld", (long long)ns);
        HOLDS(strcmp(value, expected) == 0);
        reference_is_possible(ns, ns);
        free(text);
    }
    return 0;
}
