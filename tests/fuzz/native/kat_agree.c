/* Two answers to one question: agreement is equality, and what is said of a difference holds. */
#include "fuzz.h"

#include "kat_file.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t width = size / 2;
    if (width == 0)
        return 0;
    struct kat_file file = {.records = 0};
    struct question question = {1, 8, NULL};
    size_t written = written_bytes(data, data + width, width);
    bool same = agree(&file, &question, data, data + width, width);
    HOLDS(same == (memcmp(data, data + width, width) == 0));
    HOLDS(written <= width && (written == width || memcmp(data, data + width, written) == 0));
    for (size_t i = written; i < width; i++)
        HOLDS(data[i] == 0x00 && data[width + i] == 0xFF);
    HOLDS(same || (file.finding.outcome == OUTCOME_UNSTABLE && file.finding.reason[0] != '\0'));
    return 0;
}
