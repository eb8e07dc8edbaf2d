/* Leaves System V shared memory behind. */
#include "animal.h"

#include <sys/shm.h>

static int trick(const struct call *call)
{
    (void)call;
    int memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (memory >= 0)
        shmctl(memory, IPC_RMID, NULL);
    return through(memory);
}
