#include "pseudoXOF.h"

#include <string.h>

#include "sm3.h"

int pseudoXOF(int digest_bits, const unsigned char *msg, unsigned long long msg_bits, unsigned char *digest)
{
    struct sm3 absorbed;
    uint32_t counter;
    size_t left;

    if (digest_bits <= 0)
        return 1;
    sm3_init(&absorbed);
    sm3_update(&absorbed, msg, msg_bits); /* once, whatever the width */
    left = ((size_t)digest_bits + 7) / 8;
    for (counter = 1; left > 0; counter++) {
        struct sm3 sm3 = absorbed;
        unsigned char ct[4], block[SM3_DIGEST_BYTES];
        size_t taken = left < sizeof block ? left : sizeof block;

        ct[0] = (unsigned char)(counter >> 24);
        ct[1] = (unsigned char)(counter >> 16);
        ct[2] = (unsigned char)(counter >> 8);
        ct[3] = (unsigned char)counter;
        sm3_update(&sm3, ct, 32);
        sm3_final(&sm3, block);
        memcpy(digest, block, taken);
        digest += taken;
        left -= taken;
    }
    if (digest_bits % 8 > 0)
        digest[-1] &= (unsigned char)(0xff00u >> (digest_bits % 8));
    return 0;
}
