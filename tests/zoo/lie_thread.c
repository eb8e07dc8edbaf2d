/* Has a thread that computes besides the calls, where nobody looks at a clock. */
#include <pthread.h>

static void *compute(void *nothing)
{
    for (volatile long turn = 0;; turn++)
        ;
    return nothing;
}

__attribute__((constructor)) static void load(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, compute, 0);
}

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    unsigned long long state = 0xcbf29ce484222325u;
    for (unsigned long long i = 0; i < msg_len_bits / 8; i++)
        state = (state ^ msg[i]) * 0x100000001b3u;
    for (int i = 0; i < digest_len_bits / 8; i++, state *= 0x100000001b3u)
        digest[i] = (unsigned char)(state >> 56);
    return 0;
}
