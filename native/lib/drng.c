#include "drng.h"

#include <string.h>

#include "sm3.h"

enum { SEED_BYTES = 55, LONGEST_INPUT = 256 }; /* inputs of Hash_df: seeds, and 00 || V */

/* sum = (sum + addend) mod 2^440, both big endian; addend may be shorter. */
static void add(unsigned char sum[SEED_BYTES], const unsigned char *addend, int bytes)
{
    unsigned carry = 0;
    for (int i = 1; i <= SEED_BYTES; i++) {
        carry += sum[SEED_BYTES - i] + (i <= bytes ? addend[bytes - i] : 0u);
        sum[SEED_BYTES - i] = (unsigned char)carry;
        carry >>= 8;
    }
}

static void increment(unsigned char number[SEED_BYTES])
{
    for (int i = SEED_BYTES - 1; i >= 0 && ++number[i] == 0; i--) {
    }
}

/* Hash_df: input's 440 bits of SM3(counter || 440 in 32 bits || input). */
static void derive(const unsigned char *input, size_t bytes, unsigned char output[SEED_BYTES])
{
    unsigned char text[5 + LONGEST_INPUT] = {0, 0, 0, 0x01, 0xB8};
    unsigned char blocks[64];
    memcpy(text + 5, input, bytes);
    for (unsigned char counter = 1; counter <= 2; counter++) {
        text[0] = counter;
        sm3_bits(text, 8 * (5 + bytes), blocks + 32 * (counter - 1));
    }
    memcpy(output, blocks, SEED_BYTES);
}

void drng_seed(struct drng *drng, const unsigned char *seed, size_t bytes)
{
    unsigned char zero_v[1 + SEED_BYTES] = {0};
    derive(seed, bytes < LONGEST_INPUT ? bytes : LONGEST_INPUT, drng->v);
    memcpy(zero_v + 1, drng->v, SEED_BYTES);
    derive(zero_v, sizeof zero_v, drng->c);
    drng->reseed_counter = 1;
}

void drng_generate(struct drng *drng, unsigned char *output, unsigned long long bits)
{
    unsigned char counter[SEED_BYTES], block[32];
    memcpy(counter, drng->v, SEED_BYTES);
    unsigned long long bytes = (bits + 7) / 8, done = 0;
    for (; bytes - done >= sizeof block; done += sizeof block) {
        sm3_bits(counter, 8 * SEED_BYTES, output + done);
        increment(counter);
    }
    if (done < bytes) {
        sm3_bits(counter, 8 * SEED_BYTES, block);
        memcpy(output + done, block, bytes - done);
    }
    if (bits % 8)
        output[bytes - 1] &= (unsigned char)(0xFF00 >> bits % 8);

    unsigned char three_v[1 + SEED_BYTES] = {3}, number[8];
    memcpy(three_v + 1, drng->v, SEED_BYTES);
    sm3_bits(three_v, 8 * sizeof three_v, block);
    for (int i = 0; i < 8; i++)
        number[i] = (unsigned char)(drng->reseed_counter >> (56 - 8 * i));
    add(drng->v, block, sizeof block);
    add(drng->v, drng->c, SEED_BYTES);
    add(drng->v, number, sizeof number);
    drng->reseed_counter++;
}
