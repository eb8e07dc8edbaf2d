/* ngcc_perf: times one library at one message length and writes one record. Never runs candidate code itself. */
#include "child.h"
#include "cpu.h"
#include "file.h"
#include "json.h"
#include "measure.h"
#include "message.h"
#include "options.h"
#include "record.h"
#include "self.h"
#include "sha256.h"
#include "trial.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "ngcc_perf: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

/* What to do about something that could not be written. */
static const char *advice(int error, const char *otherwise)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT: return "free some space and run again";
    case EFBIG: return "raise the file size limit (ulimit -f) and run again";
    case ENOMEM: return "free some memory and run again";
    default: return otherwise;
    }
}

static void digest_file(const char *path, char hex[65])
{
    const char *why = sha256_file(path, hex);
    if (why != NULL)
        fail("%s: %s.", path, why);
}

static char *read_text(const char *path)
{
    const char *why;
    char *text = file_text(path, &why);
    if (text == NULL)
        fail("%s: %s.", path, why);
    return text;
}

/* A member of the verdict that must be there. */
static char *verdict_field(const char *path, const char *document, const char *name)
{
    char value[8192];
    if (json_field(document, name, value, sizeof value) != 0)
        fail("%s: no '%s' in it: not a verdict of ngcc-campaign verify; verify again.", path, name);
    char *copy = strdup(value);
    if (copy == NULL)
        fail("no memory.");
    return copy;
}

/* Fills in what the verdict says of the library. True if the library may be timed. */
static bool read_verdict(const char *path, struct record *record)
{
    char *document = read_text(path);
    digest_file(path, record->verdict_sha256);
    char *schema = verdict_field(path, document, "schema"), *version = verdict_field(path, document, "version");
    if (strcmp(schema, "ngcc-perf/kat") != 0 || strcmp(version, "3") != 0)
        fail("%s: expected schema ngcc-perf/kat, version 3, found %s, version %s.", path, schema, version);
    record->candidate = verdict_field(path, document, "candidate");
    record->instance = verdict_field(path, document, "instance");
    char *bits = verdict_field(path, document, "digest_bits");
    record->digest_bits = (int)json_count(document, "digest_bits", TRIAL_MAX_DIGEST_BITS);
    if (record->digest_bits == 0)
        fail("%s: digest_bits: expected 1 to %d, found %s.", path, TRIAL_MAX_DIGEST_BITS, bits);
    char *library = verdict_field(path, document, "library"), *digest = verdict_field(path, document, "library_sha256");
    if (strcmp(library, "null") != 0) {
        record->library = library;
        snprintf(record->library_sha256, sizeof record->library_sha256, "%s", digest);
    }
    bool timed = strcmp(verdict_field(path, document, "timed"), "true") == 0;
    if (!timed)
        snprintf(record->reason, sizeof record->reason, "%s", verdict_field(path, document, "timed_reason"));
    else if (record->library == NULL)
        fail("%s: timed is true, but there is no library; verify again.", path);
    free(document);
    return timed;
}

static void check_library(struct record *record)
{
    char found[65];
    if (strlen(record->library) >= PATH_MAX)
        fail("the library's path is too long.");
    digest_file(record->library, found);
    if (record->library_sha256[0] != '\0' && strcmp(found, record->library_sha256) != 0)
        fail("%s: the library is not the verified one: build and verify again.", record->library);
    strcpy(record->library_sha256, found);
}

static void find_sandbox(struct record *record, const struct options *options)
{
    record->sandbox = sandbox_find(options->sandbox);
    const char *why = sandbox_lack(&record->sandbox);
    if (why != NULL)
        fail("--sandbox require: %s.", why);
}

static void take_cpu(struct record *record, const struct options *options)
{
    struct cpu_list allowed;
    if (cpu_allowed(&allowed) < 0)
        fail("sched_getaffinity: %s.", strerror(errno));
    cpu_list_format(&allowed, record->cpus_allowed, sizeof record->cpus_allowed);
    record->cpu = options->cpu == CPU_AUTO ? cpu_choose(&allowed, "/sys") : options->cpu;
    if (!cpu_list_has(&allowed, record->cpu))
        fail("CPU %d is offline or not ours: choose one of %s.", record->cpu, record->cpus_allowed);
}

/* The message, in a sealed file that trial processes can read only. */
static int make_input(uint64_t bytes, char sha256[65])
{
    int file = memfd_create("ngcc_perf input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t room = bytes > 0 ? bytes : 1;
    void *area = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)room) == 0)
        area = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (area == MAP_FAILED)
        fail("no room for a message of %llu bytes: %s; %s.", (unsigned long long)bytes, strerror(errno),
             advice(errno, "choose fewer --bytes"));
    unsigned char digest[32];
    message_make(area, bytes);
    struct sha256 context;
    sha256_init(&context);
    sha256_update(&context, area, bytes);
    sha256_final(&context, digest);
    sha256_hex(digest, sha256);
    munmap(area, room);
    if (fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        fail("the message could not be sealed: %s.", strerror(errno));
    return file;
}

static void time_library(struct record *record, const struct options *options)
{
    char lock[128];
    if (cpu_lock(record->cpu, lock, sizeof lock) != 0)
        fail("%s, the lock of CPU %d: %s; let its owner or root remove it, or choose another CPU (--cpu, taskset).", lock,
             record->cpu, strerror(errno));
    watchdog_allow(0); /* waiting for the CPU did not count */
    record_start(record);
    int input = make_input(options->message_bytes, record->input_sha256);
    if (measure(record, options, input) != 0)
        fail("%s.", record->reason);
    if (!reference_store(&record->reference, options->canary))
        fprintf(stderr, "ngcc_perf: %s: the canary's reference could not be kept: %s; %s.\n", options->canary,
                strerror(errno), advice(errno, "make its folder writable, or choose another --canary"));
}

static void write_record(const struct record *record, const struct options *options, char **command)
{
    struct json json;
    json_init(&json);
    record_write(record, options, command, &json);
    if (json_write(&json, options->output) != 0)
        fail("%s: the record could not be written: %s; %s.", options->output ? options->output : "standard output",
             strerror(errno), advice(errno, "make its folder writable, or choose another --output"));
}

int main(int argc, char *argv[])
{
    if (argc == 5 && strcmp(argv[1], TRIAL_OPTION) == 0)
        return trial_process(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    char **command = self_command(argc, argv);
    struct options options;
    options_parse(argc, argv, &options);
    const char *run = getenv(CPU_RUN); /* its end may have come before we could ask for ours */
    child_dies_with(run != NULL ? (pid_t)atoi(run) : getppid());
    child_supervise();
    signal(SIGXFSZ, SIG_IGN); /* EFBIG says more than a death */

    static struct record record;
    record = (struct record){
        .status = "REFUSED",
        .candidate = options.candidate,
        .instance = options.instance,
        .library = options.library,
        .digest_bits = options.digest_bits,
        .cycle_source = "none",
    };
    record_start(&record);
    digest_file("/proc/self/exe", record.driver_sha256);
    if (options.host != NULL)
        digest_file(options.host, record.host_sha256);
    bool timed = options.verdict == NULL || read_verdict(options.verdict, &record);
    find_sandbox(&record, &options);
    take_cpu(&record, &options);
    if (getloadavg(record.load_average, 3) != 3)
        fail("the load average can't be read.");
    if (timed) {
        check_library(&record);
        time_library(&record, &options);
    }
    record_end(&record);
    write_record(&record, &options, command);
    return 0;
}
