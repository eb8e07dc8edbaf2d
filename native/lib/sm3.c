#include "sm3.h"

#include <stdint.h>
#include <string.h>

static uint32_t rotate(uint32_t word, unsigned count)
{
    return word << count | word >> (32 - count);
}

static uint32_t load(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store(unsigned char *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(word >> (24 - 8 * i));
}

#define P0(x) ((x) ^ rotate(x, 9) ^ rotate(x, 17))
#define P1(x) ((x) ^ rotate(x, 15) ^ rotate(x, 23))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) | (((x) | (y)) & (z)))
#define CHOICE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))

/* One round. Instead of moving eight words on, it leaves the new A in D's place and the new E in H's: the next
 * round names its arguments one place later. */
#define ROUND(a, b, c, d, e, f, g, h, FF, GG, constant, j)              \
    do {                                                                \
        uint32_t turned = rotate(a, 12);                                \
        uint32_t ss1 = rotate(turned + (e) + (constant), 7);            \
        (d) += FF(a, b, c) + (ss1 ^ turned) + (w[j] ^ w[(j) + 4]);      \
        (h) += GG(e, f, g) + ss1 + w[j];                                \
        (b) = rotate(b, 9);                                             \
        (f) = rotate(f, 19);                                            \
        (h) = P0(h);                                                    \
    } while (0)

/* Four rounds bring the names back to their places, with (a, b, c, d) and (e, f, g, h) each turned a full circle. */
#define FOUR_ROUNDS(FF, GG, t, j)                                       \
    do {                                                                \
        ROUND(a, b, c, d, e, f, g, h, FF, GG, (t)[0], (j));             \
        ROUND(d, a, b, c, h, e, f, g, FF, GG, (t)[1], (j) + 1);         \
        ROUND(c, d, a, b, g, h, e, f, FF, GG, (t)[2], (j) + 2);         \
        ROUND(b, c, d, a, f, g, h, e, FF, GG, (t)[3], (j) + 3);         \
    } while (0)

/* T_j <<< j: 79CC4519 for the first 16 rounds, 7A879D8A for the others. */
static const uint32_t constants[64] = {
    0x79CC4519, 0xF3988A32, 0xE7311465, 0xCE6228CB, 0x9CC45197, 0x3988A32F, 0x7311465E, 0xE6228CBC,
    0xCC451979, 0x988A32F3, 0x311465E7, 0x6228CBCE, 0xC451979C, 0x88A32F39, 0x11465E73, 0x228CBCE6,
    0x9D8A7A87, 0x3B14F50F, 0x7629EA1E, 0xEC53D43C, 0xD8A7A879, 0xB14F50F3, 0x629EA1E7, 0xC53D43CE,
    0x8A7A879D, 0x14F50F3B, 0x29EA1E76, 0x53D43CEC, 0xA7A879D8, 0x4F50F3B1, 0x9EA1E762, 0x3D43CEC5,
    0x7A879D8A, 0xF50F3B14, 0xEA1E7629, 0xD43CEC53, 0xA879D8A7, 0x50F3B14F, 0xA1E7629E, 0x43CEC53D,
    0x879D8A7A, 0x0F3B14F5, 0x1E7629EA, 0x3CEC53D4, 0x79D8A7A8, 0xF3B14F50, 0xE7629EA1, 0xCEC53D43,
    0x9D8A7A87, 0x3B14F50F, 0x7629EA1E, 0xEC53D43C, 0xD8A7A879, 0xB14F50F3, 0x629EA1E7, 0xC53D43CE,
    0x8A7A879D, 0x14F50F3B, 0x29EA1E76, 0x53D43CEC, 0xA7A879D8, 0x4F50F3B1, 0x9EA1E762, 0x3D43CEC5,
};

static void compress(uint32_t state[8], const unsigned char block[64])
{
    uint32_t w[68];
    for (int j = 0; j < 16; j++)
        w[j] = load(block + 4 * j);
    for (int j = 16; j < 68; j++) {
        uint32_t mixed = w[j - 16] ^ w[j - 9] ^ rotate(w[j - 3], 15);
        w[j] = P1(mixed) ^ rotate(w[j - 13], 7) ^ w[j - 6];
    }

    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int j = 0; j < 16; j += 4)
        FOUR_ROUNDS(PARITY, PARITY, constants + j, j);
    for (int j = 16; j < 64; j += 4)
        FOUR_ROUNDS(MAJORITY, CHOICE, constants + j, j);

    state[0] ^= a;
    state[1] ^= b;
    state[2] ^= c;
    state[3] ^= d;
    state[4] ^= e;
    state[5] ^= f;
    state[6] ^= g;
    state[7] ^= h;
}

void sm3_bits(const unsigned char *message, unsigned long long bits, unsigned char digest[32])
{
    uint32_t state[8] = {0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600,
                         0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E};
    unsigned long long whole_blocks = bits / 512;
    for (unsigned long long i = 0; i < whole_blocks; i++)
        compress(state, message + 64 * i);

    /* The rest, a bit 1, zeros, and the length in 64 bits: one block or two. */
    unsigned char tail[128] = {0};
    unsigned rest_bits = bits % 512, rest = rest_bits / 8, partial = rest_bits % 8;
    if (rest_bits)
        memcpy(tail, message + 64 * whole_blocks, (rest_bits + 7) / 8);
    tail[rest] = (unsigned char)((tail[rest] & (0xFF00 >> partial)) | 0x80 >> partial);
    unsigned blocks = rest_bits + 1 + 64 <= 512 ? 1 : 2;
    for (int i = 0; i < 8; i++)
        tail[64 * blocks - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (unsigned i = 0; i < blocks; i++)
        compress(state, tail + 64 * i);

    for (int i = 0; i < 8; i++)
        store(digest + 4 * i, state[i]);
}
