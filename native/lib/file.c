#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

char *file_text(const char *path, const char **why)
{
    struct stat status;
    int number = file_open(path, why);
    if (number < 0)
        return NULL;
    FILE *file = fdopen(number, "r");
    char *text = file != NULL && fstat(number, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (text == NULL)
        *why = strerror(errno);
    else
        text[fread(text, 1, (size_t)status.st_size, file)] = '\0';
    if (file != NULL)
        fclose(file);
    else
        close(number);
    return text;
}
