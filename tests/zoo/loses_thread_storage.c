/* Takes the thread's own storage away, where libc has errno. */
#include "animal.h"

#ifdef __x86_64__
#include <asm/prctl.h>
#endif

static int trick(const struct call *call)
{
    (void)call;
#ifdef __x86_64__
    syscall(SYS_arch_prctl, ARCH_SET_FS, 0);
#endif
    return 0;
}
