/* A CryptHash of known cost: a chain of 10^6 dependent additions, one cycle each. */
#if defined(__x86_64__)
#define ADDITION "add %0, %0\n\t"
#elif defined(__aarch64__)
#define ADDITION "add %0, %0, %0\n\t"
#endif
#define TEN(text) text text text text text text text text text text

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    (void)digest_len_bits, (void)msg, (void)msg_len_bits, (void)digest;
    unsigned long value = 1;
    for (int i = 0; i < 10000; i++)
        __asm__ volatile(TEN(TEN(ADDITION)) : "+r"(value) : : "cc");
    return 0;
}
