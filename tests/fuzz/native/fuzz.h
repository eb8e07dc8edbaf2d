/* What the targets share. A target includes the file whose static functions it is after; `exit` in there comes back to
 * the target by LEAVES, and `main` has another name. */
#ifndef NGCC_FUZZ_H
#define NGCC_FUZZ_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that has to hold. */
#define HOLDS(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                         \
        }                                                                    \
    } while (0)

static jmp_buf fuzz_return;
static int fuzz_status;

static inline _Noreturn void fuzz_leave(int status)
{
    fuzz_status = status;
    longjmp(fuzz_return, 1);
}

/* The status with which what follows exits; -1 where it goes on. Used as: LEAVES(call(...)) */
#define LEAVES(call) (fuzz_status = -1, setjmp(fuzz_return) == 0 ? (void)(call) : (void)0, fuzz_status)

/* Memory that the code under test leaves to its process's end, freed when the input is done. */
static void *fuzz_kept[1024];
static size_t fuzz_count;

static inline void *fuzz_keep(void *memory)
{
    HOLDS(fuzz_count < sizeof fuzz_kept / sizeof *fuzz_kept);
    return fuzz_kept[fuzz_count++] = memory;
}

static inline void fuzz_free(void)
{
    while (fuzz_count > 0)
        free(fuzz_kept[--fuzz_count]);
}

/* The name of a regular file with these bytes, the same for every input. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char name[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    }
    HOLDS(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    return name;
}

/* The data as words of a command line, a line each; the first is the program's name. */
static inline int fuzz_words(const uint8_t *data, size_t size, char *words[], int most)
{
    char *text = fuzz_keep(calloc(size + 1, 1)), *rest = text, *word;
    int count = 0;
    memcpy(text, data, size);
    words[count++] = "program";
    while (count < most && (word = strsep(&rest, "\n")) != NULL)
        words[count++] = word;
    words[count] = NULL;
    return count;
}

#endif
