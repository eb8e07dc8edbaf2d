/* Leaves a process behind that belongs to nobody and takes a core. */
#include "animal.h"

static int trick(const struct call *call)
{
    if (call->number == 0 && fork() == 0) {
        setsid();
        if (fork() == 0)
            for (alarm(20);;)
                ;
        _exit(0);
    }
    return 0;
}
