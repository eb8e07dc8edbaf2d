/* The command line of ngcc_kat: options within their bounds, or status 2; 0 for help. */
#include "fuzz.h"

#include <getopt.h>

#define exit fuzz_leave
#define main kat_main
#include "arguments.c"
#include "kat.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options told;
    char *words[64];
    int count = fuzz_words(data, size, words, 63);
    optind = 0;
    int status = LEAVES(told = parse(count, words));
    HOLDS(status == -1 || status == 0 || status == 2);
    if (status == -1) {
        HOLDS(told.library != NULL && told.digest_bits >= 8 && told.digest_bits <= 65536 && told.digest_bits % 8 == 0);
        HOLDS(told.seconds > 0 && told.seconds <= 1e7 && valid_name(told.instance));
        HOLDS(told.lengths <= MOST_LENGTHS);
    }
    fuzz_free();
    return 0;
}
