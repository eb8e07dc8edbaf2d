#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- building ---- */

void json_init(struct json *json)
{
    *json = (struct json){.first = true};
}

void json_free(struct json *json)
{
    free(json->text);
    json_init(json);
}

static void append(struct json *json, const char *text, size_t length)
{
    if (json->failed)
        return;
    if (json->length + length + 1 > json->capacity) {
        size_t capacity = 2 * json->capacity + length + 4096;
        char *larger = realloc(json->text, capacity);
        if (larger == NULL) {
            json->failed = true;
            return;
        }
        json->text = larger;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = '\0';
}

static void append_text(struct json *json, const char *text)
{
    append(json, text, strlen(text));
}

/* Length of the well-formed UTF-8 sequence at s (RFC 3629: no surrogates, no overlong forms), or 0. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = 0;
    if (s[0] >= 0xC2 && s[0] <= 0xF4)
        length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    unsigned low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xBF)
        if (s[i] < low || s[i] > high)
            return 0;
    return length;
}

static void append_string(struct json *json, const char *value)
{
    append_text(json, "\"");
    for (const unsigned char *s = (const unsigned char *)value; *s != '\0';) {
        size_t length = utf8_length(s);
        char escape[8];
        if (*s == '"' || *s == '\\') {
            append(json, (char[]){'\\', (char)*s}, 2);
        } else if (*s < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", *s);
            append_text(json, escape);
        } else if (length > 0) {
            append(json, (const char *)s, length);
        } else {
            append_text(json, "\xEF\xBF\xBD");
        }
        s += length > 0 ? length : 1;
    }
    append_text(json, "\"");
}

static void new_line(struct json *json)
{
    append_text(json, "\n");
    for (int i = 0; i < json->depth; i++)
        append_text(json, "  ");
}

/* Everything before a value: comma, line, name. */
static void begin_value(struct json *json, const char *name)
{
    if (json->depth > 0) {
        if (!json->first)
            append_text(json, ",");
        new_line(json);
    }
    json->first = false;
    if (name != NULL) {
        append_string(json, name);
        append_text(json, ": ");
    }
}

static void open_group(struct json *json, const char *name, const char *bracket)
{
    begin_value(json, name);
    append_text(json, bracket);
    json->depth++;
    json->first = true;
}

static void close_group(struct json *json, const char *bracket)
{
    json->depth--;
    if (!json->first)
        new_line(json);
    append_text(json, bracket);
    json->first = false;
}

void json_open_object(struct json *json, const char *name)
{
    open_group(json, name, "{");
}

void json_close_object(struct json *json)
{
    close_group(json, "}");
}

void json_open_array(struct json *json, const char *name)
{
    open_group(json, name, "[");
}

void json_close_array(struct json *json)
{
    close_group(json, "]");
}

static void scalar(struct json *json, const char *name, const char *text)
{
    begin_value(json, name);
    append_text(json, text);
}

void json_string(struct json *json, const char *name, const char *value)
{
    if (value == NULL) {
        json_null(json, name);
        return;
    }
    begin_value(json, name);
    append_string(json, value);
}

void json_integer(struct json *json, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    scalar(json, name, text);
}

void json_unsigned(struct json *json, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    scalar(json, name, text);
}

void json_number(struct json *json, const char *name, double value)
{
    if (!isfinite(value)) {
        json_null(json, name);
        return;
    }
    char text[64];
    for (int digits = 15; digits <= 17; digits++) { /* the shortest that reads back as the same number */
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    const char *point = localeconv()->decimal_point;
    char *found = strstr(text, point);
    if (found != NULL) {
        *found = '.';
        memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
    }
    scalar(json, name, text);
}

void json_bool(struct json *json, const char *name, bool value)
{
    scalar(json, name, value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
    scalar(json, name, "null");
}

/* ---- writing ---- */

/* Of temporary files: the workflow sweeps away what killed drivers leave by it. */
static const char SUFFIX[] = ".tmp";

static int write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t put = write(file, text, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        text += put;
        length -= (size_t)put;
    }
    return 0;
}

static int write_document(int file, const struct json *json)
{
    if (write_all(file, json->text, json->length) != 0)
        return -1;
    return write_all(file, "\n", 1);
}

/* path up to its last slash, "." without one. */
static void folder_of(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        strcpy(folder, ".");
    else
        sprintf(folder, "%.*s", (int)(slash == path ? 1 : slash - path), path);
}

static int make_folders(char *folder)
{
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int answer = mkdir(folder, 0777);
        *slash = '/';
        if (answer != 0 && errno != EEXIST)
            return -1;
    }
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

static int write_and_rename(const struct json *json, const char *folder, char *temporary, const char *path)
{
    int file = mkostemps(temporary, (int)strlen(SUFFIX), O_CLOEXEC);
    if (file < 0)
        return -1;
    mode_t mask = umask(0);
    umask(mask);
    int failed = write_document(file, json) != 0 || fchmod(file, 0666 & ~mask) != 0 || fsync(file) != 0;
    int error = errno;
    if (close(file) != 0 && !failed)
        failed = 1, error = errno;
    if (!failed && rename(temporary, path) != 0)
        failed = 1, error = errno;
    if (failed) {
        unlink(temporary);
        errno = error;
        return -1;
    }
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) { /* the name is in place: a file system that can't sync folders loses nothing of ours */
        fsync(directory);
        close(directory);
    }
    return 0;
}

int json_write(const struct json *json, const char *path)
{
    if (json->failed) {
        errno = ENOMEM;
        return -1;
    }
    if (path == NULL)
        return write_document(STDOUT_FILENO, json);
    char folder[4096], temporary[8192];
    if (strlen(path) >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* root could replace /dev/null by a file */
        errno = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
        return -1;
    }
    folder_of(path, folder);
    if (make_folders(folder) != 0)
        return -1;
    const char *slash = strrchr(path, '/');
    snprintf(temporary, sizeof temporary, "%s/.%.64s.XXXXXX%s", folder, slash ? slash + 1 : path, SUFFIX);
    /* Past RLIMIT_FSIZE the kernel's default is to kill the writer; EFBIG lets it explain itself. */
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    int result = write_and_rename(json, folder, temporary, path);
    int error = errno;
    signal(SIGXFSZ, before);
    errno = error;
    return result;
}
