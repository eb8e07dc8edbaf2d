#include "kat_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every byte as two hexadecimal digits. */
static char digits[256][2];

void kat_text_init(struct kat_text *text)
{
    for (int i = 0; i < 256; i++) {
        digits[i][0] = "0123456789ABCDEF"[i >> 4];
        digits[i][1] = "0123456789ABCDEF"[i & 15];
    }
    *text = (struct kat_text){.bytes = NULL};
    sha256_init(&text->canonical);
}

void kat_text_free(struct kat_text *text)
{
    free(text->bytes);
}

static char *append_hex(char *end, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, end += 2)
        memcpy(end, digits[bytes[i]], 2);
    return end;
}

static bool reserve(struct kat_text *text, size_t more)
{
    if (text->capacity - text->length >= more)
        return true;
    size_t capacity = 2 * text->capacity + more;
    char *bytes = realloc(text->bytes, capacity);
    if (bytes == NULL) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

static char *append_message(char *end, const struct procedure *procedure, const struct question *question)
{
    size_t bytes = (question->bits + 7) / 8;
    if (!procedure->seed_printed) {
        end += sprintf(end, "Msg = ");
        return append_hex(end, question->message, bytes);
    }
    end += sprintf(end, "Msg_Seed = ");
    if (procedure_generates(procedure, question->record)) {
        unsigned char seed[KAT_SEED_BYTES];
        procedure_seed(procedure, seed);
        end = append_hex(end, seed, sizeof seed);
    }
    end += sprintf(end, "\nMsg_Exp = ");
    end = append_hex(end, question->message, 8);
    end += sprintf(end, " .... ");
    return append_hex(end, question->message + bytes - 8, 8);
}

/* The canonical form has no blank at a line's end, where nothing follows "= ". */
static void digest_without_blanks(struct sha256 *canonical, const char *record, size_t length)
{
    const char *blank;
    while ((blank = memmem(record, length, " \n", 2)) != NULL) {
        sha256_update(canonical, record, (size_t)(blank - record));
        length -= (size_t)(blank + 1 - record);
        record = blank + 1;
    }
    sha256_update(canonical, record, length);
}

void kat_text_record(struct kat_text *text, const struct procedure *procedure, const struct question *question,
                     const unsigned char *digest, unsigned digest_bits)
{
    size_t message_hex = procedure->seed_printed ? 0 : (question->bits + 7) / 4;
    if (!reserve(text, 400 + message_hex + digest_bits / 4))
        return;
    char *record = text->bytes + text->length;
    char *end = record + sprintf(record, "Msg_Len = %llu\n", question->bits);
    end = append_message(end, procedure, question);
    end += sprintf(end, "\nDst_Len = %u\nDst = ", digest_bits);
    end = append_hex(end, digest, digest_bits / 8);
    *end++ = '\n';
    if (procedure->seed_printed || question->bits == 0)
        digest_without_blanks(&text->canonical, record, (size_t)(end - record));
    else
        sha256_update(&text->canonical, record, (size_t)(end - record));
    *end++ = '\n';
    text->length = (size_t)(end - text->bytes);
}

static int write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno != EINTR)
            return -1;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return fsync(file);
}

int kat_text_save(const struct kat_text *text, const char *folder, const char *name)
{
    char path[4096], temporary[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        snprintf(temporary, sizeof temporary, "%s/.%s.%ld.tmp", folder, name, (long)getpid()) >=
            (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return -1;
    int written = write_all(file, text->bytes, text->length), why = errno;
    if (close(file) == 0 && written == 0 && rename(temporary, path) == 0)
        return 0;
    if (written == 0)
        why = errno;
    unlink(temporary);
    errno = why;
    return -1;
}
