/* SM3 against the standard's own examples, and its behaviour inside a byte. */
#include "check.h"
#include "sm3.h"

static void expect(const void *message, unsigned long long bits, const char *expected)
{
    unsigned char digest[32];
    char hex[65];
    sm3_bits(message, bits, digest);
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02X", digest[i]);
    CHECK_TEXT(hex, expected);
}

/* Bits that do not belong to the message must not count, and lengths must. */
static void expect_bits_to_count(void)
{
    unsigned char message[131], first[32], second[32];
    for (unsigned bits = 0; bits <= 1040; bits++) {
        memset(message, 0x5A, sizeof message);
        sm3_bits(message, bits, first);
        for (unsigned bit = bits; bit < 8 * sizeof message; bit++)
            message[bit / 8] ^= (unsigned char)(0x80 >> bit % 8);
        sm3_bits(message, bits, second);
        CHECK(memcmp(first, second, 32) == 0);
        sm3_bits(message, bits + 1, second);
        CHECK(memcmp(first, second, 32) != 0);
    }
}

int main(void)
{
    char repeated[64];
    for (int i = 0; i < 64; i++)
        repeated[i] = "abcd"[i % 4];
    expect(NULL, 0, "1AB21D8355CFA17F8E61194831E81A8F22BEC8C728FEFB747ED035EB5082AA2B");
    expect("abc", 24, "66C7F0F462EEEDD9D1F2D46BDC10E4E24167C4875CF2F7A2297DA02B8F4BA8E0");
    expect(repeated, 512, "DEBE9FF92275B8A138604889C18E5A4D6FDB70E5387E5765293DCBA39C0C5732");
    expect_bits_to_count();
    return failures != 0;
}
