/* A digest buffer between canaries between guard pages: a library that writes outside its digest is found out. */
#ifndef NGCC_SANDWICH_H
#define NGCC_SANDWICH_H

#include <stdbool.h>
#include <stddef.h>

#include "progress.h"

struct sandwich {
    unsigned char *digest; /* aligned to 64 bytes */
    size_t bytes;
    size_t tail_bytes;       /* of the canary behind it, at least as long as the one before */
    struct region guards[2]; /* the pages before and behind, for progress_watch */
};

/* False, with errno set, where memory runs out. */
bool sandwich_make(struct sandwich *sandwich, size_t digest_bytes);

/* NULL while both canaries are whole, else a clause that tells which is not. */
const char *sandwich_harm(const struct sandwich *sandwich);

#endif
