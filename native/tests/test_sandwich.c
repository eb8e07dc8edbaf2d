/* Canaries around a digest: every byte beside it counts, none inside. */
#include "check.h"
#include "sandwich.h"

static void every_byte_beside_counts(size_t bytes)
{
    struct sandwich sandwich;
    CHECK(sandwich_make(&sandwich, bytes));
    CHECK((size_t)sandwich.digest % 64 == 0);
    CHECK(sandwich.digest + bytes + sandwich.tail_bytes == sandwich.guards[1].start);
    memset(sandwich.digest, 0, bytes);
    CHECK(sandwich_harm(&sandwich) == NULL);
    for (int place = -256; place < (int)(bytes + sandwich.tail_bytes); place++) {
        unsigned char *byte = sandwich.digest + place, before = *byte;
        for (int value = 0; value < 256; value += 255) {
            *byte = (unsigned char)value;
            const char *harm = sandwich_harm(&sandwich);
            if (place < 0)
                CHECK_TEXT(harm != NULL ? harm : "", "wrote before its digest");
            else if (place >= (int)bytes)
                CHECK_TEXT(harm != NULL ? harm : "", "wrote behind its digest");
            else
                CHECK(harm == NULL);
        }
        *byte = before;
    }
}

int main(void)
{
    static const size_t sizes[] = {1, 20, 32, 64, 145, 4096, 8192};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        every_byte_beside_counts(sizes[i]);
    return failures != 0;
}
