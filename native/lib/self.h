/* This very program: the command that started it, and how to start it again. */
#ifndef NGCC_SELF_H
#define NGCC_SELF_H

#include <stdbool.h>

/* Whether a user-mode emulator runs this program. */
bool self_is_emulated(void);

/* The words of the command that started this process, NULL after the last: `argv`, and before it the words of the
 * emulator, if one runs the program. Called once, before self_execute. */
char **self_command(int argc, char *argv[]);

/* Replaces this process by a fresh image of the program, run by the same emulator if there is one. `arguments` starts
 * with a name and ends with NULL. Returns where that failed. */
void self_execute(char *const arguments[]);

#endif
