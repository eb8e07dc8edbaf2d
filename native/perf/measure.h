/* The measurement itself: calibrates, plans, runs the trials, fills in the record. */
#ifndef NGCC_MEASURE_H
#define NGCC_MEASURE_H

#include "options.h"
#include "record.h"

/* Needs in the record: library, digest_bits, cpu. `input` is the file that holds the message. Whatever the library does
 * becomes the record's status. Returns 0, or -1 with a sentence in record->reason where no trial could be run. */
int measure(struct record *record, const struct options *options, int input);

#endif
