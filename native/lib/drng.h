/* The ICCS generator: Hash_DRBG of NIST SP 800-90A with SM3, seed length 440 bits, never reseeded. */
#ifndef NGCC_DRNG_H
#define NGCC_DRNG_H

#include <stddef.h>
#include <stdint.h>

struct drng {
    unsigned char v[55], c[55];
    uint64_t reseed_counter;
};

/* Of a seed of more than 256 bytes the first 256 count; KAT and timing have 64 and 48. */
void drng_seed(struct drng *drng, const unsigned char *seed, size_t bytes);

/* One generator call for `bits` bits: writes ceil(bits / 8) bytes, unused low bits of the last one zero. */
void drng_generate(struct drng *drng, unsigned char *output, unsigned long long bits);

#endif
