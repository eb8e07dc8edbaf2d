/* Writes code to a page first, and makes it executable then. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return through(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}
