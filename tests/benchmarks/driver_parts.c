/* Parts of a timing alone, for bench_driver.py.
 * `driver_parts LIBRARY CPU`: what an indirect call of CryptHash takes in a bare loop, ns, a line per batch; last, the
 * core clock in GHz. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "cpu.h"
#include "library.h"

enum { BATCHES = 101, CALLS = 100000 };

/* Aligned as the driver's own loop is. */
__attribute__((noinline, noclone, aligned(64))) static void
call_repeatedly(crypt_hash *hash, int digest_bits, const unsigned char *message, unsigned long long message_bits,
                unsigned char *digest, uint64_t calls)
{
    for (; calls > 0; calls--)
        hash(digest_bits, message, message_bits, digest);
}

int main(int argc, char *argv[])
{
    char why[256];
    unsigned char message[1024] = {0}, digest[32];
    crypt_hash *hash = argc == 3 && cpu_pin(atoi(argv[2])) ? library_open(argv[1], why, sizeof why) : NULL;
    if (hash == NULL)
        return 1;
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t start = clock_now_ns();
        call_repeatedly(hash, 256, message, 8192, digest, CALLS);
        printf("%.6f\n", (double)(clock_now_ns() - start) / CALLS);
    }
    printf("%.6f\n", CLOCK_CHAIN_ADDITIONS / (double)clock_chain_ns());
    return 0;
}
