#include "message.h"

#include "drng.h"

void message_make(unsigned char *message, uint64_t bytes)
{
    unsigned char seed[48];
    struct drng generator;
    for (unsigned char i = 0; i < sizeof seed; i++)
        seed[i] = i;
    drng_seed(&generator, seed, sizeof seed);
    drng_generate(&generator, message, 8 * bytes);
}
