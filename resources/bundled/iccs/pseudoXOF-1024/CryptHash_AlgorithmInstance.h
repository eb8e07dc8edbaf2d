#ifndef CRYPTHASH_ALGORITHMINSTANCE_H
#define CRYPTHASH_ALGORITHMINSTANCE_H

/* Any width will do: build with -DDIGEST_BIT_LENGTH=... and -DALGORITHM_INSTANCE=... for another one. */
#ifndef ALGORITHM_INSTANCE
#define ALGORITHM_INSTANCE "pseudoXOF-1024"
#endif
#ifndef DIGEST_BIT_LENGTH
#define DIGEST_BIT_LENGTH 1024
#endif
#define OUTPUT_BLANK_TEST_VECTORS 0

/* The first msg_len_bits bits of msg; those of a partial last byte are its high ones. Returns 0, or 1 for a
   digest of a width that this instance cannot make. */
int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest);

#endif
