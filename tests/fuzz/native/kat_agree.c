/* Two answers to one question: agreement is equality, and what is said of a difference holds. */
#include "fuzz.h"

#include "agreement.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t width = size / 2;
    if (width == 0)
        return 0;
    struct finding finding = {OUTCOME_DONE, 0, ""};
    struct question question = {1, 8, NULL};
    size_t written = written_bytes(data, data + width, width);
    bool same = answers_agree(&question, data, data + width, width, &finding);
    HOLDS(same == (memcmp(data, data + width, width) == 0));
    HOLDS(written <= width && (written == width || memcmp(data, data + width, written) == 0));
    for (size_t i = written; i < width; i++)
        HOLDS(data[i] == 0x00 && data[width + i] == 0xFF);
    HOLDS(same || (finding.outcome == OUTCOME_UNSTABLE && finding.reason[0] != '\0'));
    return 0;
}
