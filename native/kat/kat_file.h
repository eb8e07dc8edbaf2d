/* One KAT file: messages made, answered by the library, answered again in part, and written as text. */
#ifndef NGCC_KAT_FILE_H
#define NGCC_KAT_FILE_H

#include "answers.h"
#include "kat_text.h"
#include "procedures.h"

struct kat_file {
    struct finding finding; /* the outcome and its reason */
    unsigned records;       /* answered before the end */
    struct question failed; /* record 0: none is to blame */
    struct kat_text text;   /* complete when the outcome is DONE */
};

/* `seconds` limits what the library's processes take together. Free the text afterwards. */
void kat_file_run(struct kat_file *file, const struct procedure *procedure, const char *library, unsigned digest_bits,
                  double seconds, const struct sandbox *sandbox);

#endif
