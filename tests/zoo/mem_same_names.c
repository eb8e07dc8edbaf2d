/* Functions with the names of the driver's own, as submissions bring them. Returns 1 where another one answers. */
#include <string.h>

int sm3_bits(void)
{
    return 1;
}

int drng_generate(void)
{
    return 2;
}

int heap_note(void)
{
    return 4;
}

int CryptHash(int digest_bits, const unsigned char *message, unsigned long long bits, unsigned char *digest)
{
    (void)message;
    (void)bits;
    memset(digest, 0, digest_bits / 8);
    return sm3_bits() + drng_generate() + heap_note() != 7;
}
