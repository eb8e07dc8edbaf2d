/* Makes a page that is writable and executable at once. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED
               ? GOT_THROUGH
               : 0;
}
