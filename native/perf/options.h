/* The command line of ngcc_perf. */
#ifndef NGCC_OPTIONS_H
#define NGCC_OPTIONS_H

#include <stdint.h>

#include "plan.h"
#include "sandbox.h"

enum { CPU_AUTO = -1 };

struct options {
    const char *verdict;                         /* else: */
    const char *library, *candidate, *instance;  /* the last two may be NULL */
    int digest_bits;
    uint64_t message_bytes;
    const char *output; /* NULL: standard output */
    const char *host;   /* NULL: none */
    const char *canary; /* file of the canary's reference; NULL: none */
    int cpu;
    double clock_hz; /* 0: not known */
    struct plan_limits limits;
    enum sandbox_mode sandbox;
    const char **made_from; /* NAME=VALUE */
    int made_from_count;
};

/* Ends the program by itself: with status 0 after --help and --version, with 2 and a sentence on standard error
 * after a mistake. */
void options_parse(int argc, char *argv[], struct options *options);

/* What --from NAME=VALUE gives for the name; "" where it is not given. */
const char *options_made_from(const struct options *options, const char *name);

#endif
