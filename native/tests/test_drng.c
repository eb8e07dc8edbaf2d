/* The generator against published vectors, and against the digest of KAT_2_12's 4097 messages. */
#include "check.h"
#include "drng.h"
#include "sha256.h"

static void expect(const unsigned char *bytes, size_t count, const char *expected)
{
    char hex[129];
    for (size_t i = 0; i < count; i++)
        snprintf(hex + 2 * i, 3, "%02X", bytes[i]);
    hex[2 * count] = '\0';
    CHECK_TEXT(hex, expected);
}

static void seed_with_name(struct drng *drng, const char name[8])
{
    unsigned char seed[64];
    for (int i = 0; i < 8; i++)
        memcpy(seed + 8 * i, name, 8);
    drng_seed(drng, seed, sizeof seed);
}

static void first_call_of_timing_seed(void)
{
    unsigned char seed[48], output[64];
    struct drng drng;
    for (unsigned char i = 0; i < 48; i++)
        seed[i] = i;
    drng_seed(&drng, seed, sizeof seed);
    drng_generate(&drng, output, 512);
    expect(output, sizeof output,
           "B569718FC1F1F82A4C0ACF90FF4AC10966E11E3750012597BB7ECFD357C962AA"
           "7CE9861C8C5BC0D8465C2CF6CF42424F92F0A3F133109905E4524D8E7F6E8995");
}

static void successive_calls(void)
{
    static const struct {
        unsigned bits, bytes;
        const char *hex;
    } calls[] = {{0, 0, ""},     {1, 1, "80"},   {2, 1, "40"},     {3, 1, "A0"},
                 {8, 1, "9F"},   {9, 2, "C080"}, {4096, 16, "AA7197C3A55232608BEF734B359B9354"}};
    unsigned char output[512];
    struct drng drng;
    seed_with_name(&drng, "KAT_2_12");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        drng_generate(&drng, output, calls[i].bits);
        expect(output, calls[i].bytes, calls[i].hex);
    }
}

static void messages_of_2_12(void)
{
    unsigned char output[512], digest[32];
    char hex[65];
    struct sha256 context;
    struct drng drng;
    seed_with_name(&drng, "KAT_2_12");
    sha256_init(&context);
    for (unsigned bits = 0; bits <= 4096; bits++) {
        drng_generate(&drng, output, bits);
        sha256_update(&context, output, (bits + 7) / 8);
    }
    sha256_final(&context, digest);
    sha256_hex(digest, hex);
    CHECK_TEXT(hex, "0877afaacf31f3146617cc5e8b7abd7c8640cf8e3bbb48bc55dc6d2c17cb0d4e");
}

int main(void)
{
    first_call_of_timing_seed();
    successive_calls();
    messages_of_2_12();
    return failures != 0;
}
