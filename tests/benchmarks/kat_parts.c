/* What a quick KAT run can't do without, each part timed alone, in nanoseconds: the hash calls, the generator, and the
 * SHA-256 of the texts (argv[2] and on) that a library (argv[1]) gives. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "library.h"
#include "procedures.h"
#include "sha256.h"

enum { QUICK = 2 }; /* 2_12 and 2_23 come first */

static struct question questions[KAT_MOST_RECORDS];
static unsigned char *area;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long time_generator(const struct procedure *procedure, unsigned batch)
{
    long long start = now();
    procedure_prepare(procedure, batch, area, questions);
    return now() - start;
}

static long long time_calls(const struct procedure *procedure, crypt_hash *hash)
{
    unsigned char digest[8192];
    long long start = now();
    for (unsigned i = 0; i < procedure->records_per_batch; i++)
        hash(256, questions[i].message, questions[i].bits, digest);
    return now() - start;
}

static long long time_sha256(const char *path)
{
    unsigned char digest[32];
    struct sha256 context;
    FILE *file = fopen(path, "rb");
    size_t room = (size_t)1 << 25, length = file == NULL ? 0 : fread(area, 1, room, file);
    if (file == NULL || length == 0)
        exit(1);
    fclose(file);
    long long start = now();
    sha256_init(&context);
    sha256_update(&context, area, length);
    sha256_final(&context, digest);
    return now() - start;
}

int main(int argc, char **argv)
{
    char why[256];
    crypt_hash *hash = argc < 2 ? NULL : library_open(argv[1], why, sizeof why);
    area = calloc(1, (size_t)1 << 25);
    if (hash == NULL || area == NULL)
        return 1;
    long long generator = 0, calls = 0, sha256 = 0;
    for (int i = 0; i < QUICK; i++)
        for (unsigned batch = 0; batch < procedures[i].records / procedures[i].records_per_batch; batch++) {
            generator += time_generator(&procedures[i], batch);
            calls += time_calls(&procedures[i], hash);
        }
    for (int i = 2; i < argc; i++)
        sha256 += time_sha256(argv[i]);
    printf("%lld %lld %lld\n", calls, generator, sha256);
    return 0;
}
