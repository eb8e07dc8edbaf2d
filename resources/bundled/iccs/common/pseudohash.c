#include "pseudohash.h"

#include <stddef.h>

#include "sm3.h"

#define BYTES SM3_DIGEST_BYTES
#define KEY_BYTES 64

/* SM3("3.14159265358979") || SM3("2.71828182845904"): one block of HMAC-SM3. */
static const unsigned char key[KEY_BYTES] = {
    0x53, 0x07, 0xf6, 0xd5, 0xeb, 0x6a, 0x3c, 0xed, 0x3d, 0x24, 0xc5, 0x3c, 0xc9, 0xc8, 0x2c, 0xce,
    0x2f, 0x89, 0x36, 0x39, 0x70, 0x23, 0xf0, 0x69, 0x5c, 0x26, 0xc8, 0x0c, 0x1a, 0xb1, 0x82, 0xa7,
    0x1d, 0xb0, 0x2b, 0xa9, 0x2f, 0x54, 0x40, 0x18, 0x11, 0x5a, 0x96, 0xe7, 0x19, 0x66, 0x2c, 0xa3,
    0x2b, 0x7c, 0x7e, 0xfc, 0x0a, 0x6d, 0x24, 0x82, 0x15, 0x07, 0x66, 0xba, 0x6f, 0x65, 0x5b, 0x8e,
};

static void start_with_key(struct sm3 *sm3, unsigned char mask)
{
    unsigned char masked[KEY_BYTES];
    int i;

    for (i = 0; i < KEY_BYTES; i++)
        masked[i] = key[i] ^ mask;
    sm3_init(sm3);
    sm3_update(sm3, masked, 8 * KEY_BYTES);
}

static void hmac_init(struct sm3 *sm3)
{
    start_with_key(sm3, 0x36);
}

static void hmac_final(struct sm3 *sm3, unsigned char tag[BYTES])
{
    unsigned char inner[BYTES];

    sm3_final(sm3, inner);
    start_with_key(sm3, 0x5c);
    sm3_update(sm3, inner, 8 * BYTES);
    sm3_final(sm3, tag);
}

static void hmac_of_digest(const unsigned char *digest, unsigned char tag[BYTES])
{
    struct sm3 sm3;

    hmac_init(&sm3);
    sm3_update(&sm3, digest, 8 * BYTES);
    hmac_final(&sm3, tag);
}

/* SM3(a || b || c); c may be null, for none. */
static void hash_of_digests(const unsigned char *a, const unsigned char *b, const unsigned char *c,
                            unsigned char digest[BYTES])
{
    struct sm3 sm3;

    sm3_init(&sm3);
    sm3_update(&sm3, a, 8 * BYTES);
    sm3_update(&sm3, b, 8 * BYTES);
    if (c != NULL)
        sm3_update(&sm3, c, 8 * BYTES);
    sm3_final(&sm3, digest);
}

int pseudohash(int digest_bits, const unsigned char *msg, unsigned long long msg_bits, unsigned char *digest)
{
    const unsigned char t[2] = {(unsigned char)(digest_bits / 256), 0};
    unsigned char k1[BYTES], k2[BYTES], k3[BYTES], k4[BYTES];
    unsigned char *h1 = digest, *h2 = digest + BYTES;
    struct sm3 sm3;

    if (digest_bits != 512 && digest_bits != 768 && digest_bits != 1024)
        return 1;

    hmac_init(&sm3);
    sm3_update(&sm3, t, 16);
    sm3_update(&sm3, msg, msg_bits);
    hmac_final(&sm3, k1);

    sm3_init(&sm3);
    sm3_update(&sm3, msg, msg_bits);
    sm3_update(&sm3, t, 16);
    sm3_final(&sm3, h1);

    hash_of_digests(k1, h1, NULL, h2);
    if (digest_bits >= 768) {
        unsigned char *h3 = digest + 2 * BYTES;

        hmac_of_digest(h1, k2);
        hash_of_digests(h2, k2, NULL, h3);
        if (digest_bits == 1024) {
            hmac_of_digest(h2, k3);
            hmac_of_digest(h3, k4);
            hash_of_digests(k3, h3, k4, digest + 3 * BYTES);
        }
    }
    return 0;
}
