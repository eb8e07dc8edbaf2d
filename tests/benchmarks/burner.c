/* Somebody else's work: keeps a CPU's issue slots busy until it is ended. burner CPU */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &cpu);
    if (sched_setaffinity(0, sizeof cpu, &cpu) != 0)
        return 1;
    for (volatile uint64_t sum = 0;;) {
        uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
        for (int i = 0; i < 1000000; i++)
            a += b * 3, b += c * 5, c += d * 7, d += e * 9, e += f * 11, f += a * 13;
        sum += a + b + c + d + e + f;
    }
}
