/* Canaries around a digest: every byte beside it counts, none inside. */
#include "check.h"
#include "guarded.h"

static void every_byte_beside_counts(size_t bytes, bool inverted)
{
    struct guarded guarded;
    CHECK(guarded_make(&guarded, bytes, inverted));
    CHECK((size_t)guarded.digest % 64 == 0);
    CHECK(guarded.digest + bytes + guarded.tail_bytes == guarded.guards[1].start);
    memset(guarded.digest, 0, bytes);
    CHECK(guarded_harm(&guarded) == NULL);
    for (int place = -256; place < (int)(bytes + guarded.tail_bytes); place++) {
        unsigned char *byte = guarded.digest + place, before = *byte;
        for (int value = 0; value < 256; value += 255) {
            *byte = (unsigned char)value;
            const char *harm = guarded_harm(&guarded);
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
        for (int inverted = 0; inverted < 2; inverted++)
            every_byte_beside_counts(sizes[i], inverted);
    return failures != 0;
}
