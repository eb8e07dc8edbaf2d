/* SHA-256 (FIPS 180-4) of whole bytes: what evidence is digested with. */
#ifndef NGCC_SHA256_H
#define NGCC_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void sha256_init(struct sha256 *context);
void sha256_update(struct sha256 *context, const void *data, size_t bytes);
void sha256_final(struct sha256 *context, unsigned char digest[32]);

/* SHA-256 as 64 lower-case hexadecimal digits and a closing NUL. */
void sha256_hex(const unsigned char digest[32], char hex[65]);

/* Digests a regular file. Returns NULL, or a clause that tells why it can't. */
const char *sha256_file(const char *path, char hex[65]);

#endif
