#include "procedures.h"

#include <stdio.h>
#include <string.h>

#include "drng.h"

/* check_every is odd so that records checked end at every place inside a byte. */
const struct procedure procedures[PROCEDURES] = {
    {"2_12", "KAT_2_12", KAT_MOST_RECORDS, KAT_MOST_RECORDS, (size_t)16 * 128 * (32 * 33 / 2), false, 15},
    {"2_23", "KAT_2_23", 3, 3, (size_t)3 << 20, true, 0},
    {"2_33", "KAT_2_33", 3, 1, (size_t)1 << 30, true, 0},
    {"loop", "KAT_Loop", 1, 1, LOOP_BYTES, false, 0},
};

void question_name(const struct question *question, char name[QUESTION_NAME])
{
    if (question->record == 0)
        snprintf(name, QUESTION_NAME, "the timed message of %llu bytes", question->bits / 8);
    else
        snprintf(name, QUESTION_NAME, "record %u (%llu bits)", question->record, question->bits);
}

const struct procedure *procedure_named(const char *name)
{
    for (int i = 0; i < PROCEDURES; i++)
        if (strcmp(name, procedures[i].name) == 0)
            return &procedures[i];
    return NULL;
}

void procedure_seed(const struct procedure *procedure, unsigned char seed[KAT_SEED_BYTES])
{
    for (int i = 0; i < KAT_SEED_BYTES; i++)
        seed[i] = (unsigned char)procedure->title[i % 8];
}

bool procedure_generates(const struct procedure *procedure, unsigned record)
{
    return !procedure->seed_printed || record == 3;
}

void procedure_prepare(const struct procedure *procedure, unsigned batch, unsigned char *area,
                       struct question *questions)
{
    unsigned char seed[KAT_SEED_BYTES];
    struct drng drng;
    procedure_seed(procedure, seed);
    drng_seed(&drng, seed, sizeof seed);
    unsigned long long longest = 8ULL * procedure->batch_bytes / procedure->records_per_batch;
    for (unsigned i = 0; i < procedure->records_per_batch; i++) {
        unsigned record = batch * procedure->records_per_batch + i + 1;
        unsigned long long bits = procedure->records == KAT_MOST_RECORDS ? i : longest;
        questions[i] = (struct question){record, bits, area};
        if (procedure_generates(procedure, record))
            drng_generate(&drng, area, bits);
        else if (record == 2)
            memset(area, 0xFF, bits / 8);
        area += (bits + 127) / 128 * 16; /* each message begins where malloc could have put it */
    }
}
