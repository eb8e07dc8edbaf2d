/* Counts the heap that calls into a library hold. The program itself defines the allocator (malloc and so on, mmap and
 * so on) and reports here: a library loaded later finds the program's before libc's. */
#ifndef NGCC_HEAP_H
#define NGCC_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Counting begins and ends with calls of the library; from any thread of the process. */
void heap_count(bool on);

/* An allocation (positive) or its end (negative), in bytes. */
void heap_note(int64_t bytes);

/* Mappings in which nothing can be kept yet take no memory: heap_reserve notes such a range, and heap_unreserve forgets
 * those parts of it that are given back or made of use, and returns how many bytes they are. A range for which there is
 * no room any more is as good as taken. At all times, from any thread. */
void heap_reserve(const void *start, int64_t bytes);
int64_t heap_unreserve(const void *start, int64_t bytes);

/* Against the level before the first heap_count(true): now, and at its highest. */
int64_t heap_live(void);
int64_t heap_peak(void);

#endif
