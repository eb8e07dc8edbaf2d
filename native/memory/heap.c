#include "heap.h"

#include <stdatomic.h>

static atomic_bool counting;
static _Atomic int64_t live, peak;

void heap_count(bool on)
{
    counting = on;
}

void heap_note(int64_t bytes)
{
    if (!counting)
        return;
    int64_t level = atomic_fetch_add(&live, bytes) + bytes, highest = peak;
    while (level > highest && !atomic_compare_exchange_weak(&peak, &highest, level))
        ;
}

int64_t heap_live(void)
{
    return live;
}

int64_t heap_peak(void)
{
    return peak;
}
