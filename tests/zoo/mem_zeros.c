/* Answers zeros. DEED, C statements given on the compiler's command line, runs at the start of every call, ON_LOAD
 * while the library is loaded. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef DEED
#define DEED
#endif
#ifndef ON_LOAD
#define ON_LOAD
#endif

/* Hides from the compiler what becomes of memory, so that it neither removes nor shrinks it. */
#define USE(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")

/* One block, taken and freed: also as a thread's function. */
void *take(void *bytes)
{
    void *block = malloc((size_t)bytes);
    USE(block);
    free(block);
    return NULL;
}

__attribute__((constructor)) static void load(void)
{
    ON_LOAD;
}

int CryptHash(int digest_bits, const unsigned char *message, unsigned long long bits, unsigned char *digest)
{
    (void)message;
    (void)bits;
    DEED;
    memset(digest, 0, digest_bits / 8);
    return 0;
}
