/* Records of KAT texts: the canonical digest is that of the text's lines without blanks at their ends, and without the
 * empty ones. */
#include "fuzz.h"

#include "kat_text.h"
#include "sha256.h"

static void canonical(const struct kat_text *text, unsigned char digest[32])
{
    struct sha256 context;
    sha256_init(&context);
    for (const char *line = text->bytes, *end = line + text->length; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        HOLDS(stop != NULL);
        size_t length = (size_t)(stop - line);
        while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r'))
            length--;
        if (length > 0) {
            sha256_update(&context, line, length);
            sha256_update(&context, "\n", 1);
        }
        line = stop + 1;
    }
    sha256_final(&context, digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char message[1 << 16], answer[1024];
    if (size < 8)
        return 0;
    const struct procedure *procedure = &procedures[data[0] % PROCEDURES];
    unsigned digest_bits = 8 * (1 + (data[1] | data[2] << 8) % sizeof answer);
    unsigned long long most = procedure->seed_printed ? 8 * sizeof message : 4096;
    memcpy(message, data, size < sizeof message ? size : sizeof message);
    memcpy(answer, data, size < sizeof answer ? size : sizeof answer);
    struct kat_text text;
    kat_text_init(&text);
    for (unsigned record = 1; record <= 1u + data[3] % 3; record++) {
        unsigned long long bits = (data[4] | data[5] << 8 | (unsigned long long)data[6] << 16) * record % (most + 1);
        if (procedure->seed_printed && bits < 64)
            bits = 64;
        struct question question = {record, bits, message};
        kat_text_record(&text, procedure, &question, answer, digest_bits);
    }
    unsigned char expected[32], found[32];
    HOLDS(!text.failed && text.length <= text.capacity);
    canonical(&text, expected);
    sha256_final(&text.canonical, found);
    HOLDS(memcmp(expected, found, sizeof found) == 0);
    kat_text_free(&text);
    return 0;
}
