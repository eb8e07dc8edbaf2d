/* A small hash that also does a DEED, C statements given on the compiler's command line, in every call. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DEED
#define DEED
#endif
#ifndef ON_LOAD
#define ON_LOAD
#endif

__attribute__((constructor)) static void load(void)
{
    ON_LOAD;
}

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    static long call; /* from 0 */
    const int bytes = digest_len_bits / 8;
    unsigned long long state = 0xcbf29ce484222325u;
    for (unsigned long long i = 0; i < msg_len_bits / 8; i++)
        state = (state ^ msg[i]) * 0x100000001b3u;
    for (int i = 0; i < bytes; i++, state *= 0x100000001b3u)
        digest[i] = (unsigned char)(state >> 56);
    DEED;
    call++;
    return 0;
}
