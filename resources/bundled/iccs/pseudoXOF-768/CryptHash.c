#include "CryptHash_AlgorithmInstance.h"
#include "pseudoXOF.h"

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    return pseudoXOF(digest_len_bits, msg, msg_len_bits, digest);
}
