/* CHECK reports and counts what doesn't hold; main returns `failures != 0`. */
#ifndef NGCC_CHECK_H
#define NGCC_CHECK_H

#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                              \
    do {                                                              \
        if (!(condition)) {                                           \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                               \
        }                                                             \
    } while (0)

#define CHECK_TEXT(found, expected)                                                        \
    do {                                                                                   \
        if (strcmp(found, expected) != 0) {                                                \
            printf("%s:%d: found '%s', expected '%s'\n", __FILE__, __LINE__, found, expected); \
            failures++;                                                                    \
        }                                                                                  \
    } while (0)

#endif
