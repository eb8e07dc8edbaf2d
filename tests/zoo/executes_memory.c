/* Becomes a program that lies in memory alone. */
#include "animal.h"

static int trick(const struct call *call)
{
    (void)call;
    int file = (int)syscall(SYS_memfd_create, "program", 0);
    write(file, "#!/bin/sh\nexit 0\n", 17);
    return through(syscall(SYS_execveat, file, "", NULL, NULL, 0x1000));
}
