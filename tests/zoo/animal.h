/* What the animals of the zoo have in common: a small hash, after each call of which they do their trick. Nothing here
 * would do harm outside the sandbox, but to the driver that runs it and to the test's own victims: a folder VICTIM with
 * a file "file" and a library "library.so", a process VICTIM_PID and a port VICTIM_PORT that listens. */
#ifndef NGCC_ANIMAL_H
#define NGCC_ANIMAL_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct call {
    long number; /* in this process, from 0 */
    int width;   /* of the digest, in bytes */
    const unsigned char *message;
    unsigned long long bits; /* of the message */
    unsigned char *digest;   /* written already */
};

/* The animal's own. Returns what CryptHash returns. */
static int trick(const struct call *call);

/* What a trick returns once it has done what it must not. */
enum { GOT_THROUGH = 9 };

static inline int through(long answer_of_the_kernel)
{
    return answer_of_the_kernel >= 0 ? GOT_THROUGH : 0;
}

int CryptHash(int digest_bits, const unsigned char *message, unsigned long long bits, unsigned char *digest)
{
    static long number;
    struct call call = {number++, digest_bits / 8, message, bits, digest};
    uint64_t state = 0xcbf29ce484222325 ^ bits;
    for (unsigned long long i = 0; i < bits / 8; i++)
        state = (state ^ message[i]) * 0x100000001b3;
    for (int i = 0; i < call.width; i++, state *= 0x100000001b3)
        digest[i] = (unsigned char)(state >> 56);
    return trick(&call);
}

#endif
