/* Has the kernel share its pages with equal ones of others, which tells what they hold; and keep them out of a core
 * file. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int merged = madvise(memory, page, MADV_MERGEABLE), hidden = madvise(memory, page, MADV_DONTDUMP);
    munmap(memory, page);
    return through(merged == 0 ? merged : hidden);
}
