/* Values on a command line. A mistake ends the program: one sentence on standard error, status 2. */
#ifndef NGCC_ARGUMENTS_H
#define NGCC_ARGUMENTS_H

#include "sandbox.h"

_Noreturn void arguments_mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `option` is its name without the hyphens, for the sentence. */
unsigned long long arguments_count(const char *option, const char *text, unsigned long long low,
                                   unsigned long long high);
double arguments_seconds(const char *option, const char *text);

/* A multiple of 8 up to 65536. */
unsigned arguments_digest_bits(const char *option, const char *text);

/* best, require or off. */
enum sandbox_mode arguments_sandbox(const char *option, const char *text);

#endif
