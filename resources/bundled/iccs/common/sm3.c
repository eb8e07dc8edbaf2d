#include "sm3.h"

#include <string.h>

#define BLOCK_BYTES 64

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
    bytes[0] = (unsigned char)(word >> 24);
    bytes[1] = (unsigned char)(word >> 16);
    bytes[2] = (unsigned char)(word >> 8);
    bytes[3] = (unsigned char)word;
}

static void expand(uint32_t w[68], const unsigned char *block)
{
    int j;

    for (j = 0; j < 16; j++)
        w[j] = load(block + 4 * j);
    for (j = 16; j < 68; j++) {
        uint32_t x = w[j - 16] ^ w[j - 9] ^ rotate(w[j - 3], 15);

        w[j] = x ^ rotate(x, 15) ^ rotate(x, 23) ^ rotate(w[j - 13], 7) ^ w[j - 6];
    }
}

/* One round on the words A to H, v[0] to v[7]; w and w4 are W_j and W_j+4. */
static void step(uint32_t v[8], uint32_t ff, uint32_t gg, uint32_t constant, uint32_t w, uint32_t w4)
{
    uint32_t a12 = rotate(v[0], 12);
    uint32_t ss1 = rotate(a12 + v[4] + constant, 7);
    uint32_t tt1 = ff + v[3] + (ss1 ^ a12) + (w ^ w4);
    uint32_t tt2 = gg + v[7] + ss1 + w;

    v[3] = v[2];
    v[2] = rotate(v[1], 9);
    v[1] = v[0];
    v[0] = tt1;
    v[7] = v[6];
    v[6] = rotate(v[5], 19);
    v[5] = v[4];
    v[4] = tt2 ^ rotate(tt2, 9) ^ rotate(tt2, 17);
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[68], v[8];
    uint32_t constant = 0x79cc4519; /* T_j, rotated by j */
    int j;

    expand(w, block);
    memcpy(v, state, sizeof v);
    for (j = 0; j < 16; j++, constant = rotate(constant, 1))
        step(v, v[0] ^ v[1] ^ v[2], v[4] ^ v[5] ^ v[6], constant, w[j], w[j + 4]);
    constant = rotate(0x7a879d8a, 16);
    for (; j < 64; j++, constant = rotate(constant, 1))
        step(v, (v[0] & v[1]) | (v[2] & (v[0] | v[1])), v[6] ^ (v[4] & (v[5] ^ v[6])), constant, w[j], w[j + 4]);
    for (j = 0; j < 8; j++)
        state[j] ^= v[j];
}

/* Whole bytes, when those absorbed so far are whole too. */
static void absorb_bytes(struct sm3 *sm3, const unsigned char *data, uint64_t bytes)
{
    size_t used = (size_t)(sm3->bits / 8 % BLOCK_BYTES);

    sm3->bits += 8 * bytes;
    if (used > 0 && bytes >= BLOCK_BYTES - used) {
        memcpy(sm3->block + used, data, BLOCK_BYTES - used);
        compress(sm3->state, sm3->block);
        data += BLOCK_BYTES - used;
        bytes -= BLOCK_BYTES - used;
        used = 0;
    }
    for (; bytes >= BLOCK_BYTES; bytes -= BLOCK_BYTES, data += BLOCK_BYTES)
        compress(sm3->state, data);
    if (bytes > 0)
        memcpy(sm3->block + used, data, (size_t)bytes);
}

/* The high `count` bits of `byte`, 1 to 8, wherever in a byte the message stands. */
static void absorb_bits(struct sm3 *sm3, unsigned byte, unsigned count)
{
    unsigned position = (unsigned)(sm3->bits / 8 % BLOCK_BYTES), offset = (unsigned)(sm3->bits % 8);
    unsigned both = (byte & (0xff00u >> count) & 0xffu) << (8 - offset); /* over two bytes of the block */

    if (offset > 0)
        both |= (unsigned)sm3->block[position] << 8;
    sm3->block[position] = (unsigned char)(both >> 8);
    sm3->bits += count;
    if (offset + count >= 8) {
        if (position == BLOCK_BYTES - 1)
            compress(sm3->state, sm3->block);
        sm3->block[(position + 1) % BLOCK_BYTES] = (unsigned char)both;
    }
}

void sm3_init(struct sm3 *sm3)
{
    static const uint32_t initial[8] = {
        0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
    };

    memcpy(sm3->state, initial, sizeof initial);
    sm3->bits = 0;
}

void sm3_update(struct sm3 *sm3, const unsigned char *data, uint64_t bits)
{
    if (sm3->bits % 8 == 0 && bits >= 8) {
        absorb_bytes(sm3, data, bits / 8);
        data += bits / 8;
        bits %= 8;
    }
    for (; bits >= 8; bits -= 8)
        absorb_bits(sm3, *data++, 8);
    if (bits > 0)
        absorb_bits(sm3, *data, (unsigned)bits);
}

void sm3_final(struct sm3 *sm3, unsigned char digest[SM3_DIGEST_BYTES])
{
    const uint64_t bits = sm3->bits;
    size_t used;
    int i;

    absorb_bits(sm3, 0x80, 8 - (unsigned)(bits % 8)); /* a one, and zeros up to the next byte */
    used = (size_t)(sm3->bits / 8 % BLOCK_BYTES);
    if (used > BLOCK_BYTES - 8) {
        memset(sm3->block + used, 0, BLOCK_BYTES - used);
        compress(sm3->state, sm3->block);
        used = 0;
    }
    memset(sm3->block + used, 0, BLOCK_BYTES - 8 - used);
    store(sm3->block + 56, (uint32_t)(bits >> 32));
    store(sm3->block + 60, (uint32_t)bits);
    compress(sm3->state, sm3->block);
    for (i = 0; i < 8; i++)
        store(digest + 4 * i, sm3->state[i]);
}
