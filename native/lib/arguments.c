#include "arguments.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void arguments_mistake(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (see %s --help)\n", program_invocation_short_name);
    va_end(arguments);
    exit(2);
}

unsigned long long arguments_count(const char *option, const char *text, unsigned long long low,
                                   unsigned long long high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < low || value > high)
        arguments_mistake("--%s: expected a whole number from %llu to %llu, found '%s'", option, low, high, text);
    return value;
}

double arguments_seconds(const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 1e7))
        arguments_mistake("--%s: expected a number above 0, at most 10000000, found '%s'", option, text);
    return value;
}

enum sandbox_mode arguments_sandbox(const char *option, const char *text)
{
    enum sandbox_mode mode;
    if (!sandbox_mode_named(text, &mode))
        arguments_mistake("--%s: expected best, require or off, found '%s'", option, text);
    return mode;
}

unsigned arguments_digest_bits(const char *option, const char *text)
{
    unsigned long long bits = arguments_count(option, text, 8, 65536);
    if (bits % 8 != 0)
        arguments_mistake("--%s: expected a multiple of 8, found '%s'", option, text);
    return (unsigned)bits;
}
