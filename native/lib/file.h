/* Files that a person names. */
#ifndef NGCC_FILE_H
#define NGCC_FILE_H

/* Opens a regular file for reading; waits for nothing, as a pipe would make it. Returns the descriptor, or -1 with a
 * clause in *why. */
int file_open(const char *path, const char **why);

/* The whole file as text, to be freed; NULL with a clause in *why where it can't be read. */
char *file_text(const char *path, const char **why);

#endif
