/* SHA3-512 (FIPS 202). Lane (x, y) of the state is a[5y + x]. */
#include "CryptHash_AlgorithmInstance.h"

#include <stdint.h>

#define RATE_BYTES 72

static uint64_t rotate(uint64_t lane, unsigned count)
{
    return lane << count | lane >> (64 - count);
}

static void permute(uint64_t a[25])
{
    static const uint64_t round_constants[24] = {
        0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
        0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
        0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
        0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
        0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
        0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
    };
    uint64_t b[25], c[5], d[5];
    int round, x, y;

    for (round = 0; round < 24; round++) {
        /* theta */
        for (x = 0; x < 5; x++)
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        d[0] = c[4] ^ rotate(c[1], 1);
        d[1] = c[0] ^ rotate(c[2], 1);
        d[2] = c[1] ^ rotate(c[3], 1);
        d[3] = c[2] ^ rotate(c[4], 1);
        d[4] = c[3] ^ rotate(c[0], 1);
        /* theta, rho and pi */
        b[0] = a[0] ^ d[0];
        b[1] = rotate(a[6] ^ d[1], 44);
        b[2] = rotate(a[12] ^ d[2], 43);
        b[3] = rotate(a[18] ^ d[3], 21);
        b[4] = rotate(a[24] ^ d[4], 14);
        b[5] = rotate(a[3] ^ d[3], 28);
        b[6] = rotate(a[9] ^ d[4], 20);
        b[7] = rotate(a[10] ^ d[0], 3);
        b[8] = rotate(a[16] ^ d[1], 45);
        b[9] = rotate(a[22] ^ d[2], 61);
        b[10] = rotate(a[1] ^ d[1], 1);
        b[11] = rotate(a[7] ^ d[2], 6);
        b[12] = rotate(a[13] ^ d[3], 25);
        b[13] = rotate(a[19] ^ d[4], 8);
        b[14] = rotate(a[20] ^ d[0], 18);
        b[15] = rotate(a[4] ^ d[4], 27);
        b[16] = rotate(a[5] ^ d[0], 36);
        b[17] = rotate(a[11] ^ d[1], 10);
        b[18] = rotate(a[17] ^ d[2], 15);
        b[19] = rotate(a[23] ^ d[3], 56);
        b[20] = rotate(a[2] ^ d[2], 62);
        b[21] = rotate(a[8] ^ d[3], 55);
        b[22] = rotate(a[14] ^ d[4], 39);
        b[23] = rotate(a[15] ^ d[0], 41);
        b[24] = rotate(a[21] ^ d[1], 2);
        /* chi and iota */
        for (y = 0; y < 25; y += 5) {
            a[y] = b[y] ^ (~b[y + 1] & b[y + 2]);
            a[y + 1] = b[y + 1] ^ (~b[y + 2] & b[y + 3]);
            a[y + 2] = b[y + 2] ^ (~b[y + 3] & b[y + 4]);
            a[y + 3] = b[y + 3] ^ (~b[y + 4] & b[y]);
            a[y + 4] = b[y + 4] ^ (~b[y] & b[y + 1]);
        }
        a[0] ^= round_constants[round];
    }
}

static void xor_byte(uint64_t a[25], unsigned position, unsigned byte)
{
    a[position / 8] ^= (uint64_t)byte << 8 * (position % 8);
}

static void absorb_block(uint64_t a[25], const unsigned char *block)
{
    int i, j;

    for (i = 0; i < RATE_BYTES / 8; i++) {
        uint64_t lane = 0;

        for (j = 7; j >= 0; j--)
            lane = lane << 8 | block[8 * i + j];
        a[i] ^= lane;
    }
    permute(a);
}

/* What is left of the message (fewer than 576 bits), the suffix 01 and the padding 10*1.
   FIPS 202 numbers a byte's bits from the low end: the partial byte, whose bits stand high, is shifted down. */
static void absorb_rest(uint64_t a[25], const unsigned char *msg, unsigned bits)
{
    unsigned i, bytes = bits / 8, rest = bits % 8;
    unsigned last = 0x06u << rest; /* 0, 1 and the first one of the padding: may reach into the next byte */

    if (rest > 0)
        last |= (unsigned)msg[bytes] >> (8 - rest);
    for (i = 0; i < bytes; i++)
        xor_byte(a, i, msg[i]);
    xor_byte(a, bytes, last & 0xff);
    if (bits + 3 >= 8 * RATE_BYTES) /* no room for the padding's last one */
        permute(a);
    xor_byte(a, (bytes + 1) % RATE_BYTES, last >> 8);
    xor_byte(a, RATE_BYTES - 1, 0x80);
    permute(a);
}

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    uint64_t a[25] = {0};
    unsigned long long blocks;
    int i;

    if (digest_len_bits != DIGEST_BIT_LENGTH)
        return 1;
    for (blocks = msg_len_bits / (8 * RATE_BYTES); blocks > 0; blocks--, msg += RATE_BYTES)
        absorb_block(a, msg);
    absorb_rest(a, msg, (unsigned)(msg_len_bits % (8 * RATE_BYTES)));
    for (i = 0; i < DIGEST_BIT_LENGTH / 8; i++)
        digest[i] = (unsigned char)(a[i / 8] >> 8 * (i % 8));
    return 0;
}
