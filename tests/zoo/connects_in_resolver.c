/* Opens a socket while the loader asks which of several functions to take. */
#include "animal.h"

static int plain(void)
{
    return 0;
}
/* Nothing of libc can be called yet. */
static int (*choose(void))(void)
{
#ifdef __x86_64__
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(SYS_socket), "D"(AF_INET), "S"(SOCK_STREAM), "d"(0) : "rcx", "r11");
#endif
    return plain;
}
int chosen(void) __attribute__((ifunc("choose")));

static int trick(const struct call *call)
{
    (void)call;
    return chosen();
}
