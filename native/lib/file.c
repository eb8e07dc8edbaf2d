#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_open(const char *path, const char **why)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        *why = strerror(errno);
    else if (S_ISREG(status.st_mode))
        return file;
    else
        *why = "not a regular file";
    if (file >= 0)
        close(file);
    return -1;
}
