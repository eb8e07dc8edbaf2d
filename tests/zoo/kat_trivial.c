/* The message's first bytes, changed by place and length. DEED, C statements given on the compiler's command line, runs
 * at the start of every call, ON_LOAD while the library is loaded. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

int CryptHash(int digest_bits, const unsigned char *message, unsigned long long bits, unsigned char *digest)
{
    unsigned long long width = digest_bits / 8, bytes = (bits + 7) / 8, length = bits;
    DEED;
    for (unsigned long long i = 0; i < width; i++)
        digest[i] = (i < bytes ? message[i] : 0) ^ (unsigned char)(length + 7 * i);
    return 0;
}
