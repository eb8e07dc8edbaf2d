#include "timed_message.h"

#include <stdio.h>
#include <string.h>

#include "agreement.h"
#include "message.h"

static void ask(struct answer *answer, struct examinee *examinee, uint64_t bytes)
{
    struct question question = {0, 8 * bytes, examinee->messages.start}, twice[2] = {question, question};
    size_t width = examinee->digest_bits / 8;
    unsigned char *first = examinee->digests, *again = first + width;
    message_make((unsigned char *)examinee->messages.start, bytes);
    examinee_answer(examinee, &question, 1, PLAINLY, first, &answer->finding);
    if (answer->finding.outcome != OUTCOME_DONE)
        return;
    memcpy(answer->digest, first, width);
    examinee_answer(examinee, twice, 2, DISTURBED, again, &answer->finding);
    for (int i = 0; i < 2 && answer->finding.outcome == OUTCOME_DONE; i++)
        answers_agree(&question, answer->digest, again + (size_t)i * width, width, &answer->finding);
}

void timed_message_ask(struct answer *answer, uint64_t bytes, const char *library, unsigned digest_bits,
                       double *seconds, double limit, const struct sandbox *sandbox)
{
    struct examinee examinee = {
        .library = library, .sandbox = sandbox, .digest_bits = digest_bits, .seconds = *seconds, .limit = limit};
    if (*seconds <= 0) {
        *answer = (struct answer){.finding = {OUTCOME_TIMEOUT, 0, "not asked: the messages before it took all the time"}};
        return;
    }
    *answer = (struct answer){.finding = {.outcome = OUTCOME_KILLED}};
    if (!examinee_prepare(&examinee, bytes > 0 ? bytes : 1, 3)) {
        snprintf(answer->finding.reason, sizeof answer->finding.reason,
                 "not run: its message needs %llu MiB of memory, more than is available",
                 ((unsigned long long)bytes >> 20) + 1);
        return;
    }
    ask(answer, &examinee, bytes);
    *seconds = examinee.seconds;
    examinee_release(&examinee);
}
