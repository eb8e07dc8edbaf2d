/* Whether two processes gave one answer to one question. */
#ifndef NGCC_AGREEMENT_H
#define NGCC_AGREEMENT_H

#include "answers.h"

/* Compares two answers of `width` bytes, the first given among zeros, the other among ones. False, with UNSTABLE and
 * its reason in `finding`, where they differ. */
bool answers_agree(const struct question *question, const unsigned char *first, const unsigned char *again,
                   size_t width, struct finding *finding);

#endif
