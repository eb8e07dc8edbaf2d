/* Layout, escapes, numbers whatever the locale, files whole or absent, and reading a member again. */
#include "json.h"

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* {"x": <value>} as text, the value put in by `put`. */
#define DOCUMENT(json, put)              \
    struct json json;                    \
    json_init(&json);                    \
    json_open_object(&json, NULL);       \
    put;                                 \
    json_close_object(&json)

static void layout_is_that_of_python(void)
{
    struct json json;
    json_init(&json);
    json_open_object(&json, NULL);
    json_string(&json, "text", "a");
    json_open_array(&json, "numbers");
    json_integer(&json, NULL, -1);
    json_unsigned(&json, NULL, UINT64_MAX);
    json_close_array(&json);
    json_open_array(&json, "nothing");
    json_close_array(&json);
    json_open_object(&json, "deep");
    json_bool(&json, "yes", true);
    json_null(&json, "none");
    json_close_object(&json);
    json_close_object(&json);
    CHECK_TEXT(json.text, "{\n  \"text\": \"a\",\n  \"numbers\": [\n    -1,\n    18446744073709551615\n  ],\n"
                          "  \"nothing\": [],\n  \"deep\": {\n    \"yes\": true,\n    \"none\": null\n  }\n}");
    json_free(&json);
}

static void strings_read_back(void)
{
    static const char *const texts[] = {
        "", "plain", "\"quoted\\\"", "tab\tline\nend\x01\x1f", "é 算法 😀", "\n  \"x\": 1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char value[64];
        DOCUMENT(json, json_string(&json, "before", "\n  \"x\": \"no\""); json_string(&json, "x", texts[i]));
        CHECK(json_field(json.text, "x", value, sizeof value) == 0);
        CHECK_TEXT(value, texts[i]);
        json_free(&json);
    }
}

static void bytes_that_are_not_utf8_become_fffd(void)
{
    static const struct {
        const char *raw, *readable;
    } cases[] = {
        {"a\xff""b", "a\xEF\xBF\xBD""b"},                                   /* never a first byte */
        {"\xb5", "\xEF\xBF\xBD"},                                           /* a continuation alone */
        {"\xe7\xae", "\xEF\xBF\xBD\xEF\xBF\xBD"},                           /* cut off */
        {"\xc0\xaf", "\xEF\xBF\xBD\xEF\xBF\xBD"},                           /* overlong */
        {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},           /* a surrogate */
        {"\xf4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* above 10FFFF */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char value[64];
        DOCUMENT(json, json_string(&json, "x", cases[i].raw));
        CHECK(json_field(json.text, "x", value, sizeof value) == 0);
        CHECK_TEXT(value, cases[i].readable);
        json_free(&json);
    }
}

static void number_reads_as(double number, const char *expected)
{
    char value[64];
    DOCUMENT(json, json_number(&json, "x", number));
    CHECK(json_field(json.text, "x", value, sizeof value) == 0);
    CHECK_TEXT(value, expected);
    json_free(&json);
}

static void numbers(void)
{
    number_reads_as(0.1, "0.1");
    number_reads_as(1.0 / 3, "0.3333333333333333");
    number_reads_as(-2.5, "-2.5");
    number_reads_as(1e300, "1e+300");
    number_reads_as((double)NAN, "null");
    number_reads_as((double)INFINITY, "null");
}

static void fields(void)
{
    char value[8];
    const char *document = "{\n  \"text\": \"\\u00e9\\ud83d\\ude00\\/\",\n  \"n\": 12,\n"
                           "  \"deep\": {\n    \"inner\": 1\n  },\n  \"list\": [\n    1\n  ],\n"
                           "  \"lone\": \"\\ud83d\",\n  \"nul\": \"\\u0000\",\n  \"cut\": \"ab";
    CHECK(json_field(document, "text", value, sizeof value) == 0);
    CHECK_TEXT(value, "é😀/");
    CHECK(json_field(document, "n", value, sizeof value) == 0);
    CHECK_TEXT(value, "12");
    CHECK(json_field(document, "text", value, 7) == -1); /* too long by the closing NUL */
    static const char *const refused[] = {"inner", "deep", "list", "absent", "lone", "nul", "cut"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(json_field(document, refused[i], value, sizeof value) == -1);
}

static void counts(void)
{
    const char *document = "{\n  \"n\": 65536,\n  \"zero\": 0,\n  \"octal\": 0123,\n  \"half\": 12.5,\n  \"power\": 1e3,\n"
                           "  \"text\": \"17\",\n  \"below\": -5,\n  \"sign\": +5,\n  \"huge\": 4294967552,\n"
                           "  \"endless\": 99999999999999999999,\n  \"hex\": 0x10,\n  \"last\": 7\n}";
    CHECK(json_count(document, "n", 65536) == 65536 && json_count(document, "last", 7) == 7);
    CHECK(json_count(document, "n", 65535) == 0 && json_count(document, "huge", 65536) == 0);
    CHECK(json_count(document, "huge", INT64_MAX) == INT64_C(4294967552));
    static const char *const refused[] = {"zero", "octal", "half", "power", "text", "below", "sign", "endless", "hex", "absent"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(json_count(document, refused[i], INT64_MAX) == 0);
}

static int entries(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 2;
}

static void files(void)
{
    char folder[] = "/tmp/ngcc_test_json.XXXXXX", path[64], inner[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(inner, sizeof inner, "%s/a", folder);
    snprintf(path, sizeof path, "%s/a/x.json", folder);
    DOCUMENT(json, json_integer(&json, "x", 1));
    umask(022);
    CHECK(json_write(&json, path) == 0); /* makes a/ */
    CHECK(json_write(&json, path) == 0); /* replaces */
    CHECK(entries(inner) == 1);
    struct stat status;
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644 && status.st_size == (off_t)json.length + 1);

    struct rlimit before, tiny;
    getrlimit(RLIMIT_FSIZE, &before);
    tiny = (struct rlimit){4, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tiny);
    CHECK(json_write(&json, path) == -1 && errno == EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(entries(inner) == 1 && stat(path, &status) == 0 && status.st_size == (off_t)json.length + 1);

    char below_file[80];
    snprintf(below_file, sizeof below_file, "%s/y.json", path);
    CHECK(json_write(&json, below_file) == -1 && (errno == ENOTDIR || errno == EEXIST));
    CHECK(json_write(&json, inner) == -1 && errno == EISDIR);
    CHECK(entries(folder) == 1);
    char link[80];
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK(symlink("/dev/null", link) == 0 && json_write(&json, link) == -1 && errno == EEXIST);
    unlink(link);
    json_free(&json);
    unlink(path);
    rmdir(inner);
    rmdir(folder);
}

static bool dies_before_renaming;

/* In place of the C library's. */
int fsync(int file)
{
    (void)file;
    return dies_before_renaming ? raise(SIGKILL) : 0;
}

/* What a killed writer leaves has the name that ngcc-campaign sweeps away. */
static void a_killed_writer(void)
{
    char folder[] = "/tmp/ngcc_test_json.XXXXXX", path[64], left[512] = "";
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/x.json", folder);
    DOCUMENT(json, json_integer(&json, "x", 1));
    pid_t child = fork();
    if (child == 0) {
        dies_before_renaming = true;
        _exit(json_write(&json, path));
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK(entries(folder) == 1);
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (strlen(entry->d_name) > 2)
            snprintf(left, sizeof left, "%s/%.255s", folder, entry->d_name);
    closedir(directory);
    CHECK(strncmp(left + strlen(folder), "/.x.json.", 9) == 0 && strcmp(left + strlen(left) - 4, ".tmp") == 0);
    json_free(&json);
    unlink(left);
    rmdir(folder);
}

int main(void)
{
    layout_is_that_of_python();
    strings_read_back();
    bytes_that_are_not_utf8_become_fffd();
    numbers();
    fields();
    counts();
    files();
    a_killed_writer();
    static const char *const comma_locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF"};
    for (size_t i = 0; i < sizeof comma_locales / sizeof *comma_locales; i++)
        if (setlocale(LC_ALL, comma_locales[i]) != NULL)
            numbers();
    return failures != 0;
}
