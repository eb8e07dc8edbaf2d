/* Reading one member of a document again. */
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t encode_utf8(uint32_t code, char *output)
{
    if (code < 0x80) {
        output[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        output[i] = (char)(0x80 | (code & 0x3F));
    output[0] = (char)((0xF00 >> length) | code);
    return length;
}

/* The four hexadecimal digits at text, or -1. */
static int32_t four_digits(const char *text)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL)
            return -1;
        value = value * 16 + (int32_t)((digit - digits) % 16);
    }
    return value;
}

/* Decodes the \u escape whose digits begin at *text, a surrogate pair as one; -1 where it is malformed or NUL. */
static int32_t decode_unicode(const char **text)
{
    int32_t code = four_digits(*text);
    if (code <= 0 || (code & 0xFC00) == 0xDC00)
        return -1;
    *text += 4;
    if ((code & 0xFC00) != 0xD800)
        return code;
    if ((*text)[0] != '\\' || (*text)[1] != 'u')
        return -1;
    int32_t low = four_digits(*text + 2);
    if (low < 0 || (low & 0xFC00) != 0xDC00)
        return -1;
    *text += 6;
    return 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
}

/* text points behind the opening quote. */
static int decode_string(const char *text, char *value, size_t capacity)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    size_t length = 0;
    while (*text != '"') {
        char piece[4];
        size_t size = 1;
        if ((unsigned char)*text < 0x20) /* also the document's end */
            return -1;
        piece[0] = *text++;
        if (piece[0] == '\\') {
            char kind = *text++;
            const char *escape = kind != '\0' ? strchr(escapes, kind) : NULL;
            if (escape != NULL) {
                piece[0] = meanings[escape - escapes];
            } else {
                int32_t code = kind == 'u' ? decode_unicode(&text) : -1;
                if (code < 0)
                    return -1;
                size = encode_utf8((uint32_t)code, piece);
            }
        }
        if (length + size >= capacity)
            return -1;
        memcpy(value + length, piece, size);
        length += size;
    }
    value[length] = '\0';
    return 0;
}

/* Where the value of the top-level member `name` begins, NULL where there is none. */
static const char *find(const char *document, const char *name)
{
    /* Line ends inside strings are escaped, so only a top-level member begins a line with two spaces and a quote. */
    char key[256];
    int length = snprintf(key, sizeof key, "\n  \"%s\": ", name);
    if (length < 0 || (size_t)length >= sizeof key)
        return NULL;
    const char *found = strstr(document, key);
    return found != NULL ? found + length : NULL;
}

int json_field(const char *document, const char *name, char *value, size_t capacity)
{
    const char *found = find(document, name);
    if (found == NULL || capacity == 0)
        return -1;
    if (*found == '"')
        return decode_string(found + 1, value, capacity);
    size_t length = strcspn(found, ",\n");
    if (*found == '{' || *found == '[' || length == 0 || length >= capacity)
        return -1;
    memcpy(value, found, length);
    value[length] = '\0';
    return 0;
}

int64_t json_count(const char *document, const char *name, int64_t most)
{
    const char *found = find(document, name);
    if (found == NULL || *found < '1' || *found > '9')
        return 0;
    char *end;
    errno = 0;
    long long value = strtoll(found, &end, 10);
    return errno == 0 && (*end == ',' || *end == '\n') && value <= most ? value : 0;
}
