/* SM3 (GB/T 32905-2016) over messages of any length in bits, taken in pieces of any length in bits. */
#ifndef SM3_H
#define SM3_H

#include <stdint.h>

#define SM3_DIGEST_BYTES 32

struct sm3 {
    uint32_t state[8];
    uint64_t bits;           /* absorbed so far */
    unsigned char block[64]; /* the unfinished block */
};

void sm3_init(struct sm3 *sm3);

/* Absorbs `bits` bits of `data`; those of a partial last byte are its high ones. */
void sm3_update(struct sm3 *sm3, const unsigned char *data, uint64_t bits);

void sm3_final(struct sm3 *sm3, unsigned char digest[SM3_DIGEST_BYTES]);

#endif
