#include "self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command's words before the program's own name; the program as it stands there. */
static struct {
    char **words, *program;
    size_t count;
} emulator;

/* User-mode emulators answer for /proc/self/... as if the emulated program ran by itself, but not for this name of the
 * same folder: what stands there is the kernel's own view. */
static void kernel_path(char path[64], const char *name)
{
    snprintf(path, 64, "/proc/self/task/%d/%s", (int)getpid(), name);
}

bool self_is_emulated(void)
{
    char told[4096], real[4096], path[64];
    kernel_path(path, "exe");
    ssize_t told_length = readlink("/proc/self/exe", told, sizeof told);
    ssize_t real_length = readlink(path, real, sizeof real);
    return told_length > 0 && real_length > 0 &&
           (told_length != real_length || memcmp(told, real, (size_t)told_length) != 0);
}

/* The words with which the kernel started this process, NULL after the last; NULL where they can't be read. */
static char **kernel_command(size_t *count)
{
    char path[64], **words = NULL, *word = NULL;
    size_t room = 0;
    kernel_path(path, "cmdline");
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    for (*count = 0; getdelim(&word, &room, '\0', file) > 0; ++*count, word = NULL, room = 0) {
        char **longer = realloc(words, (*count + 2) * sizeof *words);
        if (longer == NULL)
            break;
        words = longer;
        words[*count] = word;
        words[*count + 1] = NULL;
    }
    fclose(file);
    return words;
}

char **self_command(int argc, char *argv[])
{
    size_t count, own = (size_t)argc;
    char **words = self_is_emulated() ? kernel_command(&count) : NULL;
    if (words == NULL || count <= own)
        return argv;
    emulator.words = words;
    emulator.count = count - own;
    emulator.program = words[emulator.count];
    return words;
}

void self_execute(char *const arguments[])
{
    if (emulator.count == 0) {
        execv("/proc/self/exe", arguments);
        return;
    }
    size_t count = 1;
    while (arguments[count] != NULL)
        count++;
    char **command = calloc(emulator.count + count + 1, sizeof *command);
    if (command == NULL)
        return;
    memcpy(command, emulator.words, emulator.count * sizeof *command);
    command[emulator.count] = emulator.program; /* which an emulator takes in the place of the name */
    memcpy(command + emulator.count + 1, arguments + 1, (count - 1) * sizeof *command);
    execvp(command[0], command);
}
