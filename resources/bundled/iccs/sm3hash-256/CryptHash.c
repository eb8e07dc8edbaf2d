#include "CryptHash_AlgorithmInstance.h"
#include "sm3.h"

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    struct sm3 sm3;

    if (digest_len_bits != DIGEST_BIT_LENGTH)
        return 1;
    sm3_init(&sm3);
    sm3_update(&sm3, msg, msg_len_bits);
    sm3_final(&sm3, digest);
    return 0;
}
