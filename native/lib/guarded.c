#include "guarded.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY_BYTES = 256, ALIGNMENT = 64 };

/* No two neighbours alike and never 00 or FF, so that neither constant bytes nor a copy of them looks intact. A byte
 * written there may still happen to be the one that was there: not so in a second process, with all bits inverted. */
static unsigned char canary[CANARY_BYTES + ALIGNMENT];

bool guarded_make(struct guarded *guarded, size_t digest_bytes, bool inverted)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), guard = 16 * page;
    size_t inner = (CANARY_BYTES + digest_bytes + sizeof canary + page - 1) / page * page;
    unsigned char *start = mmap(NULL, inner + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + guard, inner, PROT_READ | PROT_WRITE) != 0)
        return false;

    for (size_t i = 0; i < sizeof canary; i++)
        canary[i] = (unsigned char)((1 + i * 89 % 254) ^ (inverted ? 0xFF : 0));
    unsigned char *end = start + guard + inner; /* the second canary touches its guard page */
    size_t aligned = (digest_bytes + CANARY_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    guarded->digest = end - aligned;
    guarded->bytes = digest_bytes;
    guarded->tail_bytes = aligned - digest_bytes;
    memcpy(guarded->digest - CANARY_BYTES, canary, CANARY_BYTES);
    memcpy(guarded->digest + digest_bytes, canary, guarded->tail_bytes);
    guarded->guards[0] = (struct region){start, start + guard, OUTCOME_OVERFLOW, "reached far before its digest"};
    guarded->guards[1] = (struct region){end, end + guard, OUTCOME_OVERFLOW, "reached far behind its digest"};
    return true;
}

const char *guarded_harm(const struct guarded *guarded)
{
    if (memcmp(guarded->digest - CANARY_BYTES, canary, CANARY_BYTES) != 0)
        return "wrote before its digest";
    if (memcmp(guarded->digest + guarded->bytes, canary, guarded->tail_bytes) != 0)
        return "wrote behind its digest";
    return NULL;
}
