/* A JSON document is built in memory, then written whole or not at all. Two spaces an indentation level,
 * one member a line, so that json_field can find a top-level member again. */
#ifndef NGCC_JSON_H
#define NGCC_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *text; /* NUL-terminated */
    size_t length, capacity;
    int depth;
    bool first;  /* no member yet at this depth */
    bool failed; /* memory ran out: the document must not be used */
};

void json_init(struct json *json);
void json_free(struct json *json);

/* name is NULL inside arrays and for the document itself. */
void json_open_object(struct json *json, const char *name);
void json_close_object(struct json *json);
void json_open_array(struct json *json, const char *name);
void json_close_array(struct json *json);
/* value NULL: null; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *name, const char *value);
void json_integer(struct json *json, const char *name, int64_t value);
void json_unsigned(struct json *json, const char *name, uint64_t value);
void json_number(struct json *json, const char *name, double value); /* not finite: null; never a decimal comma */
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

/* Writes to a temporary file beside path, fsyncs, renames, fsyncs the folder; makes missing parent folders.
 * path NULL: standard output. Returns 0, or -1 with errno set and nothing left under path's temporary name.
 * Replaces regular files only: EISDIR or EEXIST where path is anything else. */
int json_write(const struct json *json, const char *path);

/* Reads the top-level member `name` of a document in the layout above (Python's json.dumps(indent=2) gives the
 * same). Copies its value, a string decoded or a scalar's text, into value. Returns 0, or -1 where it is
 * absent, too long, or no scalar. */
int json_field(const char *document, const char *name, char *value, size_t capacity);

/* The same for a whole number from 1 to `most`; 0 where the member is none, as 017, 1e3, "17" and 99999999999999999999
 * are. */
int64_t json_count(const char *document, const char *name, int64_t most);

#endif
