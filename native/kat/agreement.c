#include "agreement.h"

#include <stdio.h>
#include <string.h>

/* Where the digest that stood among zeros and the one that stood among ones differ in all bytes from some place on,
 * and nowhere else, the rest was never written: that place, else the digest's whole width. */
static size_t written_bytes(const unsigned char *among_zeros, const unsigned char *among_ones, size_t width)
{
    size_t written = width;
    while (written > 0 && among_zeros[written - 1] == 0x00 && among_ones[written - 1] == 0xFF)
        written--;
    return memcmp(among_zeros, among_ones, written) == 0 ? written : width;
}

bool answers_agree(const struct question *question, const unsigned char *first, const unsigned char *again,
                   size_t width, struct finding *finding)
{
    if (memcmp(first, again, width) == 0)
        return true;
    char name[QUESTION_NAME];
    question_name(question, name);
    size_t written = written_bytes(first, again, width);
    finding->outcome = OUTCOME_UNSTABLE;
    if (written < width)
        snprintf(finding->reason, sizeof finding->reason, "wrote only %zu of the digest's %zu bytes in %s", written,
                 width, name);
    else
        snprintf(finding->reason, sizeof finding->reason, "answered otherwise when %s was asked again", name);
    return false;
}
