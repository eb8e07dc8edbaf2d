/* Takes 1 TiB of addresses. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, (size_t)1 << 40, PROT_READ | PROT_WRITE, how, -1, 0);
    return memory != MAP_FAILED ? GOT_THROUGH : 0;
}
