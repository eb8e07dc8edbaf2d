/* Leaves a System V message queue behind. */
#include "animal.h"

#include <sys/msg.h>

static int trick(const struct call *call)
{
    (void)call;
    int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (queue >= 0)
        msgctl(queue, IPC_RMID, NULL);
    return through(queue);
}
