/* Writes to the driver's memory. The address is no one's, so that it does no harm where it may. */
#include "animal.h"

#include <sys/uio.h>

static int trick(const struct call *call)
{
    (void)call;
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *)8, 1};
    long answer = process_vm_writev(getppid(), &here, 1, &there, 1, 0);
    return answer >= 0 || errno == EFAULT ? GOT_THROUGH : 0;
}
