/* Makes its own code writable. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    uintptr_t page = (uintptr_t)CryptHash & ~(uintptr_t)4095;
    return through(mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
}
