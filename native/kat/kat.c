/* ngcc_kat: drives a library through the known-answer procedures and prints what came of it as JSON. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "child.h"
#include "json.h"
#include "kat_file.h"
#include "timed_message.h"

static const char help[] =
    "usage: ngcc_kat --library LIB --instance NAME --digest-bits N [option]...\n"
    "\n"
    "Drives CryptHash of a shared library through the programme's known-answer procedures and prints one JSON\n"
    "document (ngcc-perf/kat-run): for each file the SHA-256 of its text in canonical form, for each message of --bytes\n"
    "its digest, or what went wrong.\n"
    "\n"
    "  --library LIB      the shared library; it only ever runs in processes of its own\n"
    "  --instance NAME    the instance's name, as in the files' names\n"
    "  --digest-bits N    width of the digest, a multiple of 8\n"
    "  --file NAME        2_12, 2_23, 2_33 or loop; may be repeated (default: 2_12 and 2_23, unless there are\n"
    "                     --bytes)\n"
    "  --bytes N          also the digest of the message that ngcc_perf times at this length; may be repeated (at most\n"
    "                     64 times)\n"
    "  --text FOLDER      also write the full texts KAT_..._NAME.txt to this folder\n"
    "  --seconds LIMIT    time the library may take for one file, or for all messages of --bytes (default: 600)\n"
    "  --sandbox MODE     best: candidate code is shut in as far as this host can (default); require: all layers, or\n"
    "                     nothing is run; off\n"
    "  --help, --version\n"
    "\n"
    "2_33 holds messages of 1 GiB in memory, one after the other: it needs 1 GiB and what the library itself takes,\n"
    "and about 15 s to make them, besides the time for hashing 3 GiB. Where less memory is available, the outcome is\n"
    "KILLED and nothing is run. loop calls the library 1,000,001 times, on 1024 bytes each.\n"
    "\n"
    "Exit status: 0 the document is complete, whatever the outcomes; 1 could not work; 2 wrong usage.\n";

enum { MOST_LENGTHS = 64 };

struct options {
    const char *library, *instance, *text_folder;
    unsigned digest_bits, lengths;
    unsigned long long bytes[MOST_LENGTHS];
    double seconds;
    enum sandbox_mode sandbox;
    bool wanted[PROCEDURES];
};

static _Noreturn void cannot_work(const char *what, const char *why)
{
    fprintf(stderr, "ngcc_kat: %s: %s.\n", what, why);
    exit(1);
}

static bool valid_name(const char *name)
{
    size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    return length >= 1 && length <= 64 && name[length] == '\0';
}

static void want(struct options *options, const char *name)
{
    const struct procedure *procedure = procedure_named(name);
    if (procedure == NULL)
        arguments_mistake("--file: expected 2_12, 2_23, 2_33 or loop, found '%s'", name);
    options->wanted[procedure - procedures] = true;
}

static void add_length(struct options *options, const char *name, const char *text)
{
    if (options->lengths == MOST_LENGTHS)
        arguments_mistake("--%s: given more than %d times", name, MOST_LENGTHS);
    options->bytes[options->lengths++] = arguments_count(name, text, 0, 1ULL << 30);
}

static void check_together(struct options *options)
{
    if (options->library == NULL || options->instance == NULL || options->digest_bits == 0)
        arguments_mistake("--library, --instance and --digest-bits must be given");
    if (!valid_name(options->instance))
        arguments_mistake("--instance: expected 1 to 64 letters, digits, '-' and '_', found '%s'", options->instance);
    for (int i = 0; i < PROCEDURES; i++)
        if (options->wanted[i])
            return;
    if (options->lengths > 0)
        return;
    want(options, "2_12");
    want(options, "2_23");
}

static struct options parse(int argc, char **argv)
{
    enum { LIBRARY = 1, INSTANCE, DIGEST_BITS, FILE_NAME, BYTES, TEXT, SECONDS, SANDBOX, SHOW_HELP, SHOW_VERSION };
    static const struct option known[] = {
        {"library", required_argument, NULL, LIBRARY},
        {"instance", required_argument, NULL, INSTANCE},
        {"digest-bits", required_argument, NULL, DIGEST_BITS},
        {"file", required_argument, NULL, FILE_NAME},
        {"bytes", required_argument, NULL, BYTES},
        {"text", required_argument, NULL, TEXT},
        {"seconds", required_argument, NULL, SECONDS},
        {"sandbox", required_argument, NULL, SANDBOX},
        {"help", no_argument, NULL, SHOW_HELP},
        {"version", no_argument, NULL, SHOW_VERSION},
        {NULL, 0, NULL, 0},
    };
    struct options options = {.seconds = 600};
    opterr = 0;
    for (int kind, index = -1; (kind = getopt_long(argc, argv, ":", known, &index)) != -1; index = -1) {
        const char *name = index >= 0 ? known[index].name : "";
        switch (kind) {
        case LIBRARY: options.library = optarg; break;
        case INSTANCE: options.instance = optarg; break;
        case DIGEST_BITS: options.digest_bits = arguments_digest_bits(name, optarg); break;
        case FILE_NAME: want(&options, optarg); break;
        case BYTES: add_length(&options, name, optarg); break;
        case TEXT: options.text_folder = optarg; break;
        case SECONDS: options.seconds = arguments_seconds(name, optarg); break;
        case SANDBOX: options.sandbox = arguments_sandbox(name, optarg); break;
        case SHOW_HELP: fputs(help, stdout); exit(0);
        case SHOW_VERSION: puts("ngcc_kat " NGCC_VERSION); exit(0);
        case ':': arguments_mistake("%s needs a value", argv[optind - 1]);
        default: arguments_mistake("unknown or ambiguous option '%s'", argv[optind - 1]);
        }
    }
    if (optind < argc)
        arguments_mistake("unexpected argument '%s'", argv[optind]);
    check_together(&options);
    return options;
}

static void describe_file(struct json *json, const char *name, struct kat_file *file)
{
    unsigned char digest[32];
    char hex[65];
    bool done = file->finding.outcome == OUTCOME_DONE;
    sha256_final(&file->text.canonical, digest);
    sha256_hex(digest, hex);
    json_open_object(json, NULL);
    json_string(json, "file", name);
    json_string(json, "outcome", outcome_name(file->finding.outcome));
    json_unsigned(json, "records", file->records);
    json_string(json, "sha256", done ? hex : NULL);
    json_string(json, "reason", file->finding.reason);
    if (file->failed.record == 0) {
        json_null(json, "failed_record");
    } else {
        json_open_object(json, "failed_record");
        json_unsigned(json, "record", file->failed.record);
        json_unsigned(json, "message_bits", file->failed.bits);
        json_close_object(json);
    }
    json_close_object(json);
}

static void run_file(struct json *json, const struct options *options, const struct sandbox *sandbox,
                     const struct procedure *procedure)
{
    struct kat_file file;
    char name[96];
    snprintf(name, sizeof name, "%s_%s.txt", procedure->title, options->instance);
    kat_file_run(&file, procedure, options->library, options->digest_bits, options->seconds, sandbox);
    if (options->text_folder != NULL && file.finding.outcome == OUTCOME_DONE &&
        kat_text_save(&file.text, options->text_folder, name) != 0)
        cannot_work(options->text_folder, strerror(errno));
    describe_file(json, name, &file);
    kat_text_free(&file.text);
}

static void describe_answer(struct json *json, const struct options *options, unsigned long long bytes,
                            const struct answer *answer)
{
    static char hex[2 * ANSWER_MOST_BYTES + 1];
    for (unsigned i = 0; i < options->digest_bits / 8; i++)
        sprintf(hex + 2 * i, "%02X", answer->digest[i]);
    json_open_object(json, NULL);
    json_unsigned(json, "message_bytes", bytes);
    json_string(json, "outcome", outcome_name(answer->finding.outcome));
    json_string(json, "digest", answer->finding.outcome == OUTCOME_DONE ? hex : NULL);
    json_string(json, "reason", answer->finding.reason);
    json_close_object(json);
}

static void run_messages(struct json *json, const struct options *options, const struct sandbox *sandbox)
{
    static struct answer answer;
    double seconds = options->seconds;
    for (unsigned i = 0; i < options->lengths; i++) {
        timed_message_ask(&answer, options->bytes[i], options->library, options->digest_bits, &seconds,
                          options->seconds, sandbox);
        describe_answer(json, options, options->bytes[i], &answer);
    }
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    char library_sha256[65];
    child_supervise();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of write, told in a sentence */
    const char *why = sha256_file(options.library, library_sha256);
    if (why != NULL)
        cannot_work(options.library, why);

    struct sandbox sandbox = sandbox_find(options.sandbox);
    why = sandbox_lack(&sandbox);
    if (why != NULL)
        cannot_work("--sandbox require", why);

    struct json json;
    json_init(&json);
    json_open_object(&json, NULL);
    json_string(&json, "schema", "ngcc-perf/kat-run");
    json_integer(&json, "version", 3);
    json_string(&json, "instance", options.instance);
    json_unsigned(&json, "digest_bits", options.digest_bits);
    json_string(&json, "library_sha256", library_sha256);
    sandbox_write(&json, &sandbox);
    json_open_array(&json, "files");
    for (int i = 0; i < PROCEDURES; i++)
        if (options.wanted[i])
            run_file(&json, &options, &sandbox, &procedures[i]);
    json_close_array(&json);
    json_open_array(&json, "messages");
    run_messages(&json, &options, &sandbox);
    json_close_array(&json);
    json_close_object(&json);
    if (json_write(&json, NULL) != 0)
        cannot_work("standard output", strerror(errno));
    json_free(&json);
    return 0;
}
