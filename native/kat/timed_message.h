/* A library's answer to a message that ngcc_perf times. */
#ifndef NGCC_TIMED_MESSAGE_H
#define NGCC_TIMED_MESSAGE_H

#include <stdint.h>

#include "answers.h"

enum { ANSWER_MOST_BYTES = 8192 };

struct answer {
    struct finding finding;                  /* the outcome and its reason */
    unsigned char digest[ANSWER_MOST_BYTES]; /* complete when the outcome is DONE */
};

/* Asks one process plainly and another, in other circumstances, twice. `seconds` is what the library's processes may
 * still take, taken off as they run, of the `limit` that the user gave. */
void timed_message_ask(struct answer *answer, uint64_t bytes, const char *library, unsigned digest_bits,
                       double *seconds, double limit, const struct sandbox *sandbox);

#endif
