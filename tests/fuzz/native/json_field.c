/* Members of documents: any bytes are read within bounds, and what json_string wrote is read back. */
#include "fuzz.h"
#include "json.h"

static void read_anything(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"schema", "version", "a", "key", ""};
    char *document = fuzz_keep(calloc(size + 1, 1));
    memcpy(document, data, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t capacity = 0; capacity <= 64; capacity += 16) {
            char *value = malloc(capacity + 1); /* of this very size, so that a write past it shows */
            value[capacity] = 'x';
            if (json_field(document, names[i], value, capacity) == 0)
                HOLDS(strnlen(value, capacity) < capacity);
            HOLDS(value[capacity] == 'x');
            free(value);
        }
}

static void round_trip(const uint8_t *data, size_t size)
{
    char text[512] = "", first[2048], second[2048];
    memcpy(text, data, size < sizeof text ? size : sizeof text - 1);
    for (int i = 0; i < 2; i++) {
        struct json json;
        json_init(&json);
        json_open_object(&json, NULL);
        json_string(&json, "before", text);
        json_string(&json, "a", i == 0 ? text : first);
        json_close_object(&json);
        HOLDS(!json.failed && json_field(json.text, "a", i == 0 ? first : second, sizeof first) == 0);
        json_free(&json);
    }
    HOLDS(strcmp(first, second) == 0); /* what is no UTF-8 became U+FFFD, and that stays */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_anything(data, size);
    round_trip(data, size);
    fuzz_free();
    return 0;
}
