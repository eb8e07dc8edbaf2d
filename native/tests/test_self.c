/* The program's own command, which ends with argv, and a fresh image of it: also under an emulator. */
#include "self.h"

#include "check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGAIN = 42 };

static int count_words(char **words)
{
    int count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

int main(int argc, char *argv[])
{
    if (argc == 3)
        return strcmp(argv[1], "again") == 0 && strcmp(argv[2], "") == 0 ? AGAIN : 1;
    char **command = self_command(argc, argv);
    int before = count_words(command) - argc;
    CHECK(self_is_emulated() ? before > 0 : before == 0 && command == argv);
    for (int i = 1; i < argc; i++)
        CHECK(strcmp(command[before + i], argv[i]) == 0);
    pid_t child = fork();
    if (child == 0) {
        self_execute((char *[]){"a name", "again", "", NULL});
        _exit(1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == AGAIN);
    return failures != 0;
}
