/* A digest buffer between canaries between guard pages: a library that writes outside its digest is found out. */
#ifndef NGCC_GUARDED_H
#define NGCC_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

#include "progress.h"

struct guarded {
    unsigned char *digest; /* aligned to 64 bytes */
    size_t bytes;
    size_t tail_bytes;       /* of the canary behind it, at least as long as the one before */
    struct region guards[2]; /* the pages before and behind, for progress_watch */
};

/* One a process, whose canaries hold the inverted bytes where `inverted`. False, with errno set, where memory runs
 * out. */
bool guarded_make(struct guarded *guarded, size_t digest_bytes, bool inverted);

/* NULL while both canaries are whole, else a clause that tells which is not. */
const char *guarded_harm(const struct guarded *guarded);

#endif
