/* Messages of the KAT procedures against published digests and excerpts, and how records are printed. */
#include <stdlib.h>

#include "check.h"
#include "kat_text.h"
#include "procedures.h"
#include "sha256.h"

static struct question questions[KAT_MOST_RECORDS];

static unsigned char *prepare(const struct procedure *procedure)
{
    unsigned char *area = calloc(1, procedure->batch_bytes);
    procedure_prepare(procedure, 0, area, questions);
    return area;
}

static void messages_of_2_12(void)
{
    const struct procedure *procedure = procedure_named("2_12");
    unsigned char *area = prepare(procedure), digest[32];
    char hex[65];
    struct sha256 context;
    sha256_init(&context);
    for (unsigned i = 0; i < procedure->records; i++) {
        CHECK(questions[i].bits == i && questions[i].record == i + 1);
        CHECK(questions[i].message + (i + 7) / 8 <= area + procedure->batch_bytes);
        sha256_update(&context, questions[i].message, (i + 7) / 8);
    }
    sha256_final(&context, digest);
    sha256_hex(digest, hex);
    CHECK_TEXT(hex, "0877afaacf31f3146617cc5e8b7abd7c8640cf8e3bbb48bc55dc6d2c17cb0d4e");
    free(area);
}

static void records_of_2_23(void)
{
    static const char third[] =
        "Msg_Len = 8388608\n"
        "Msg_Seed = 4B41545F325F32334B41545F325F32334B41545F325F32334B41545F325F3233"
        "4B41545F325F32334B41545F325F32334B41545F325F32334B41545F325F3233\n"
        "Msg_Exp = B6E2C825BE0E7D79 .... 70B7D148BC6FCCEC\n"
        "Dst_Len = 16\n"
        "Dst = 0FA0\n"
        "\n";
    const struct procedure *procedure = procedure_named("2_23");
    unsigned char *area = prepare(procedure), digest[32], canonical[32];
    struct kat_text text;
    struct sha256 context;
    kat_text_init(&text);
    kat_text_record(&text, procedure, &questions[1], (const unsigned char[]){0x0F, 0xA0}, 16);
    size_t first = text.length;
    kat_text_record(&text, procedure, &questions[2], (const unsigned char[]){0x0F, 0xA0}, 16);
    CHECK(text.length == first + sizeof third - 1);
    CHECK(memcmp(text.bytes + first, third, sizeof third - 1) == 0);

    /* Canonical: no blank after "Msg_Seed =", no empty line. */
    static const char second[] =
        "Msg_Len = 8388608\nMsg_Seed =\nMsg_Exp = FFFFFFFFFFFFFFFF .... FFFFFFFFFFFFFFFF\nDst_Len = 16\nDst = 0FA0\n";
    sha256_init(&context);
    sha256_update(&context, second, sizeof second - 1);
    sha256_update(&context, third, sizeof third - 2);
    sha256_final(&context, canonical);
    sha256_final(&text.canonical, digest);
    CHECK(memcmp(digest, canonical, 32) == 0);
    kat_text_free(&text);
    free(area);
}

int main(void)
{
    CHECK(procedure_named("2_13") == NULL);
    messages_of_2_12();
    records_of_2_23();
    return failures != 0;
}
