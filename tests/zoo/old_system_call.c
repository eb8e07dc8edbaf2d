/* Starts a process by the system calls of 32-bit programs, which have other numbers. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    int answer = 0;
    #ifdef __x86_64__
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(2) : "memory", "r8", "r9", "r10", "r11");
    #endif
    if (answer == 0)
        _exit(0);
    return through(answer);
}
