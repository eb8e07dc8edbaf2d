/* A kernel that fills the core's issue slots. A neighbour on the sibling hardware thread takes some of them, which no
 * clock shows; this does. */
#ifndef NGCC_CANARY_H
#define NGCC_CANARY_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CANARY_CHAINS = 6, /* more than cores of today have adders */
    CANARY_ADDITIONS = CANARY_CHAINS * (1 << 18)
};

/* How much more than the least time one may take, as a share of it. */
#define CANARY_TOLERANCE 0.03

/* False where there is none: under an emulator, or on an architecture whose additions aren't known here. */
bool canary_exists(void);

/* Time of one run of CANARY_ADDITIONS additions, ns, at least 1: about 0.2 ms. Only where one exists. */
int64_t canary_run_ns(void);

/* Whether one that took so long was disturbed, least_ns being the least time known. */
bool canary_is_disturbed(int64_t canary_ns, int64_t least_ns);

#endif
