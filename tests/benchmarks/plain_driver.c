/* The published way of timing, to compare with: one process that calls CryptHash a fixed number of times after three
 * warm-up calls, pinned, and prints the mean, ns. What it is run five times for is not known to it.
 *
 * plain_driver LIBRARY DIGEST_BITS MESSAGE_BYTES CPU CALLS */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int crypt_hash(int, const unsigned char *, unsigned long long, unsigned char *);

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char *argv[])
{
    void *library = argc == 6 ? dlopen(argv[1], RTLD_NOW) : NULL;
    crypt_hash *hash = library ? (crypt_hash *)dlsym(library, "CryptHash") : NULL;
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    if (hash == NULL)
        return 2;
    CPU_SET(atoi(argv[4]), &cpu);
    sched_setaffinity(0, sizeof cpu, &cpu);
    int bits = atoi(argv[2]);
    unsigned long long bytes = strtoull(argv[3], NULL, 10);
    long calls = atol(argv[5]);
    unsigned char *message = calloc(bytes + 1, 1), *digest = calloc(1, 65536);
    for (int i = 0; i < 3; i++)
        hash(bits, message, bytes * 8, digest);
    double start = now_ns();
    for (long i = 0; i < calls; i++)
        hash(bits, message, bytes * 8, digest);
    printf("%.3f\n", (now_ns() - start) / (double)calls);
    return 0;
}
