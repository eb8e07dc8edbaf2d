/* The text of a KAT file, as submitted ones look, and its canonical SHA-256. */
#ifndef NGCC_KAT_TEXT_H
#define NGCC_KAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "procedures.h"
#include "sha256.h"

struct kat_text {
    char *bytes;
    size_t length, capacity;
    struct sha256 canonical; /* over all lines but the empty ones, LF after each */
    bool failed;             /* memory ran out: text and digest must not be used */
};

void kat_text_init(struct kat_text *text);
void kat_text_free(struct kat_text *text);

/* Appends a record and the empty line that closes it. */
void kat_text_record(struct kat_text *text, const struct procedure *procedure, const struct question *question,
                     const unsigned char *digest, unsigned digest_bits);

/* Writes the text to <folder>/<name>, whole or not at all. Returns 0, or -1 with errno set. */
int kat_text_save(const struct kat_text *text, const char *folder, const char *name);

#endif
