/* The programme's four KAT procedures: which messages a library has to answer. */
#ifndef NGCC_PROCEDURES_H
#define NGCC_PROCEDURES_H

#include <stdbool.h>
#include <stddef.h>

enum { PROCEDURES = 4, KAT_MOST_RECORDS = 4097, LOOP_ITERATIONS = 1000000, LOOP_BYTES = 1024, KAT_SEED_BYTES = 64 };

struct question {
    unsigned record; /* from 1; 0: the message that is timed, of no file */
    unsigned long long bits;
    const unsigned char *message;
};

enum { QUESTION_NAME = 80 };

/* Names the question in a sentence, as in "record 12 (11 bits)". */
void question_name(const struct question *question, char name[QUESTION_NAME]);

struct procedure {
    const char *name;  /* on the command line */
    const char *title; /* first in the file's name; these eight characters, repeated, are the seed */
    unsigned records;
    unsigned records_per_batch; /* messages that lie in memory together */
    size_t batch_bytes;
    bool seed_printed;    /* Msg_Seed and Msg_Exp instead of Msg */
    unsigned check_every; /* a second process answers every so many records twice again; 0: none */
};

extern const struct procedure procedures[PROCEDURES];

/* NULL where no procedure has this name. */
const struct procedure *procedure_named(const char *name);

/* Writes the batch's messages into `area` (batch_bytes; zeros before the first batch, left alone between batches) and
 * describes them in `questions` (records_per_batch). */
void procedure_prepare(const struct procedure *procedure, unsigned batch, unsigned char *area,
                       struct question *questions);

void procedure_seed(const struct procedure *procedure, unsigned char seed[KAT_SEED_BYTES]);

/* Whether the record's message came from the generator, not from a constant byte. */
bool procedure_generates(const struct procedure *procedure, unsigned record);

#endif
