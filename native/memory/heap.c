#include "heap.h"

#include <stdatomic.h>
#include <stddef.h>

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

static struct {
    uintptr_t start, end;
} reserved[256];
static size_t reserved_count;
static atomic_flag reserved_busy = ATOMIC_FLAG_INIT;

static void add_range(uintptr_t start, uintptr_t end)
{
    if (start == end)
        return;
    if (reserved_count < sizeof reserved / sizeof *reserved) {
        reserved[reserved_count].start = start;
        reserved[reserved_count++].end = end;
    } else {
        heap_note((int64_t)(end - start));
    }
}

void heap_reserve(const void *start, int64_t bytes)
{
    while (atomic_flag_test_and_set(&reserved_busy))
        ;
    add_range((uintptr_t)start, (uintptr_t)start + (uintptr_t)bytes);
    atomic_flag_clear(&reserved_busy);
}

int64_t heap_unreserve(const void *start, int64_t bytes)
{
    uintptr_t from = (uintptr_t)start, to = from + (uintptr_t)bytes, found = 0;
    while (atomic_flag_test_and_set(&reserved_busy))
        ;
    for (size_t i = reserved_count; i-- > 0;) {
        uintptr_t first = reserved[i].start, last = reserved[i].end;
        uintptr_t low = first > from ? first : from, high = last < to ? last : to;
        if (low >= high)
            continue;
        found += high - low;
        reserved[i] = reserved[--reserved_count];
        add_range(first, low);
        add_range(high, last);
    }
    atomic_flag_clear(&reserved_busy);
    return (int64_t)found;
}

int64_t heap_live(void)
{
    return live;
}

int64_t heap_peak(void)
{
    return peak;
}
