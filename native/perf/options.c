#include "options.h"

#include "cpu.h"
#include "trial.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MAX_MESSAGE_BYTES = UINT64_C(1) << 30;

static const char HELP[] =
    "Usage: ngcc_perf --verdict KAT.json --bytes N [options]\n"
    "       ngcc_perf --library LIB.so --digest-bits N --bytes N [options]\n"
    "\n"
    "Times CryptHash of one library at one message length, on one CPU, and writes one JSON\n"
    "record, whole or not at all. Candidate code runs in freshly executed processes only.\n"
    "\n"
    "What to time:\n"
    "  --verdict FILE         verdict of the known-answer tests: names library and digest length;\n"
    "                         a library that is not the verified one is refused\n"
    "  --library FILE         a library without a verdict\n"
    "  --digest-bits N        its digest length, bits\n"
    "  --candidate ID         its submission and\n"
    "  --instance NAME        instance, as the record is to name them\n"
    "  --bytes N              message length, bytes, up to 2^30\n"
    "\n"
    "How:\n"
    "  --cpu N|auto           CPU to run on (default: auto, the last one allowed, a performance core\n"
    "                         where the processor has several kinds)\n"
    "  --trials N             processes that measure, at least (default: 5; never more than 100)\n"
    "  --target-seconds S     what a trial should last (default: 0.1)\n"
    "  --precision P          go on until the mean's 95 % interval, over undisturbed batches, is within\n"
    "                         P times the mean (default: 0.01), or\n"
    "  --patience F           F times the planned time, trials times target, is spent (default: 10)\n"
    "  --budget-seconds S     what all trials may last together, whatever else is asked for; fewer\n"
    "                         calls where one takes long (default: 900)\n"
    "  --clock-hz HZ          the CPU's fixed clock: batches that ran at another are marked\n"
    "  --canary FILE          where this host's fastest canary is kept from record to record; measured\n"
    "                         for a second where there is none\n"
    "  --sandbox MODE         best: candidate code is shut in as far as this host can (default);\n"
    "                         require: all layers, or nothing is run; off\n"
    "\n"
    "What comes of it:\n"
    "  --output FILE          the record (default: standard output)\n"
    "  --host FILE            host.json, whose digest the record keeps\n"
    "  --from NAME=VALUE      copied to the record's made_from; can be repeated\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 a record was written, whatever its status (MEASURED, ERROR, CRASH, ...);\n"
    "1 it could not be made or written; 2 a mistake on the command line.\n"
    "\n"
    "Example:\n"
    "  ngcc_perf --verdict kat/iccs/sm3hash-256.json --bytes 1024 --output 1024.json\n";

__attribute__((format(printf, 1, 2))) static _Noreturn void mistake(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "ngcc_perf: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (see ngcc_perf --help)\n");
    va_end(arguments);
    exit(2);
}

static uint64_t parse_count(const char *option, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < low || value > high)
        mistake("--%s: expected a whole number from %llu to %llu, found '%s'", option, (unsigned long long)low,
                (unsigned long long)high, text);
    return value;
}

static double parse_positive(const char *option, const char *text, double high)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0) || value > high)
        mistake("--%s: expected a number above 0, at most %.0f, found '%s'", option, high, text);
    return value;
}

static double parse_number(const char *option, const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high))
        mistake("--%s: expected a number from %g to %g, found '%s'", option, low, high, text);
    return value;
}

static uint64_t parse_seconds(const char *option, const char *text)
{
    return (uint64_t)fmax(1, parse_positive(option, text, 1e6) * 1e9);
}

static void add_made_from(struct options *options, const char *text)
{
    size_t name_length = strcspn(text, "=");
    if (name_length == 0 || text[name_length] == '\0')
        mistake("--from: expected NAME=VALUE, found '%s'", text);
    for (int i = 0; i < options->made_from_count; i++)
        if (strncmp(options->made_from[i], text, name_length + 1) == 0)
            mistake("--from: '%.*s' is given twice", (int)name_length, text);
    options->made_from[options->made_from_count++] = text;
}

const char *options_made_from(const struct options *options, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < options->made_from_count; i++)
        if (strncmp(options->made_from[i], name, length) == 0 && options->made_from[i][length] == '=')
            return options->made_from[i] + length + 1;
    return "";
}

static void check_together(const struct options *options, bool bytes_given)
{
    bool described = options->library || options->digest_bits || options->candidate || options->instance;
    if (options->verdict && described)
        mistake("--verdict already names library, digest length, candidate and instance: leave out the options for them");
    if (!options->verdict && !options->library)
        mistake("either --verdict or --library must be given");
    if (!options->verdict && options->digest_bits == 0)
        mistake("--library needs --digest-bits");
    if (!bytes_given)
        mistake("--bytes must be given");
}

void options_parse(int argc, char *argv[], struct options *options)
{
    enum { VERDICT = 1, LIBRARY, CANDIDATE, INSTANCE, DIGEST_BITS, BYTES, OUTPUT, HOST, CPU, TRIALS, TARGET, BUDGET,
           PRECISION, PATIENCE, CLOCK, CANARY, SANDBOX, FROM, SHOW_HELP, SHOW_VERSION };
    static const struct option known[] = {
        {"verdict", required_argument, NULL, VERDICT},
        {"library", required_argument, NULL, LIBRARY},
        {"candidate", required_argument, NULL, CANDIDATE},
        {"instance", required_argument, NULL, INSTANCE},
        {"digest-bits", required_argument, NULL, DIGEST_BITS},
        {"bytes", required_argument, NULL, BYTES},
        {"output", required_argument, NULL, OUTPUT},
        {"host", required_argument, NULL, HOST},
        {"cpu", required_argument, NULL, CPU},
        {"trials", required_argument, NULL, TRIALS},
        {"target-seconds", required_argument, NULL, TARGET},
        {"budget-seconds", required_argument, NULL, BUDGET},
        {"precision", required_argument, NULL, PRECISION},
        {"patience", required_argument, NULL, PATIENCE},
        {"clock-hz", required_argument, NULL, CLOCK},
        {"canary", required_argument, NULL, CANARY},
        {"sandbox", required_argument, NULL, SANDBOX},
        {"from", required_argument, NULL, FROM},
        {"help", no_argument, NULL, SHOW_HELP},
        {"version", no_argument, NULL, SHOW_VERSION},
        {NULL, 0, NULL, 0},
    };
    *options = (struct options){
        .cpu = CPU_AUTO,
        .limits = {.trials = 5,
                   .target_ns = 100000000,
                   .budget_ns = UINT64_C(900000000000),
                   .precision = 0.01,
                   .patience = 10},
        .made_from = calloc((size_t)argc, sizeof *options->made_from),
    };
    if (options->made_from == NULL)
        mistake("no memory");
    bool bytes_given = false;
    opterr = 0;
    for (int kind, index = -1; (kind = getopt_long(argc, argv, ":", known, &index)) != -1; index = -1) {
        const char *name = index >= 0 ? known[index].name : "";
        switch (kind) {
        case VERDICT: options->verdict = optarg; break;
        case LIBRARY: options->library = optarg; break;
        case CANDIDATE: options->candidate = optarg; break;
        case INSTANCE: options->instance = optarg; break;
        case DIGEST_BITS: options->digest_bits = (int)parse_count(name, optarg, 1, TRIAL_MAX_DIGEST_BITS); break;
        case BYTES:
            options->message_bytes = parse_count(name, optarg, 0, MAX_MESSAGE_BYTES);
            bytes_given = true;
            break;
        case OUTPUT: options->output = optarg; break;
        case HOST: options->host = optarg; break;
        case CPU:
            options->cpu = strcmp(optarg, "auto") == 0 ? CPU_AUTO : (int)parse_count(name, optarg, 0, CPU_LIMIT - 1);
            break;
        case TRIALS: options->limits.trials = (int)parse_count(name, optarg, 1, PLAN_MAX_TRIALS); break;
        case TARGET: options->limits.target_ns = parse_seconds(name, optarg); break;
        case BUDGET: options->limits.budget_ns = parse_seconds(name, optarg); break;
        case PRECISION: options->limits.precision = parse_number(name, optarg, 0.0001, 1); break;
        case PATIENCE: options->limits.patience = parse_number(name, optarg, 1, 1000); break;
        case CLOCK: options->clock_hz = parse_positive(name, optarg, 1e12); break;
        case CANARY: options->canary = optarg; break;
        case SANDBOX:
            if (!sandbox_mode_named(optarg, &options->sandbox))
                mistake("--%s: expected best, require or off, found '%s'", name, optarg);
            break;
        case FROM: add_made_from(options, optarg); break;
        case SHOW_HELP: fputs(HELP, stdout); exit(0);
        case SHOW_VERSION: puts("ngcc_perf " NGCC_VERSION); exit(0);
        case ':': mistake("%s needs a value", argv[optind - 1]);
        default: mistake("unknown or ambiguous option '%s'", argv[optind - 1]);
        }
    }
    if (optind < argc)
        mistake("unexpected argument '%s'", argv[optind]);
    check_together(options, bytes_given);
}
