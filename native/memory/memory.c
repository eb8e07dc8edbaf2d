/* ngcc_memory: what memory calls into a library take, as JSON; and, at the end, the allocator that counts. */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arguments.h"
#include "child.h"
#include "heap.h"
#include "json.h"
#include "memory_run.h"
#include "self.h"
#include "sha256.h"

static const char help[] =
    "usage: ngcc_memory --library LIB --digest-bits N --bytes N [--bytes N]... [option]...\n"
    "\n"
    "Measures the memory that CryptHash of a shared library takes and prints one JSON document\n"
    "(ngcc-perf/memory-run): for each message length the resident set before and after calls, and stack and heap of\n"
    "the calls alone, each in freshly executed processes.\n"
    "\n"
    "  --library LIB      the shared library\n"
    "  --digest-bits N    width of the digest, a multiple of 8\n"
    "  --bytes N          length of the message; may be repeated (at most 64 times)\n"
    "  --processes N      processes of each kind for each length (default: 5)\n"
    "  --calls N          calls in each process, at most 1000 (default: 8)\n"
    "  --seconds LIMIT    time one process may take (default: 60)\n"
    "  --sandbox MODE     best: candidate code is shut in as far as this host can (default); require: all layers, or\n"
    "                     nothing is run; off\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 the document is complete, whatever the outcomes; 1 could not work; 2 wrong usage.\n";

enum { MOST_LENGTHS = 64 };

struct options {
    const char *library;
    unsigned digest_bits, processes, calls, lengths;
    unsigned long long bytes[MOST_LENGTHS];
    double seconds;
    enum sandbox_mode sandbox;
};

static _Noreturn void cannot_work(const char *what, const char *why)
{
    fprintf(stderr, "ngcc_memory: %s: %s.\n", what, why);
    exit(1);
}

static void add_length(struct options *options, const char *name, const char *text)
{
    if (options->lengths == MOST_LENGTHS)
        arguments_mistake("--%s: given more than %d times", name, MOST_LENGTHS);
    options->bytes[options->lengths++] = arguments_count(name, text, 0, 1ULL << 30);
}

static struct options parse(int argc, char **argv)
{
    enum { LIBRARY = 1, DIGEST_BITS, BYTES, PROCESSES, CALLS, SECONDS, SANDBOX, SHOW_HELP, SHOW_VERSION };
    static const struct option known[] = {
        {"library", required_argument, NULL, LIBRARY},
        {"digest-bits", required_argument, NULL, DIGEST_BITS},
        {"bytes", required_argument, NULL, BYTES},
        {"processes", required_argument, NULL, PROCESSES},
        {"calls", required_argument, NULL, CALLS},
        {"seconds", required_argument, NULL, SECONDS},
        {"sandbox", required_argument, NULL, SANDBOX},
        {"help", no_argument, NULL, SHOW_HELP},
        {"version", no_argument, NULL, SHOW_VERSION},
        {NULL, 0, NULL, 0},
    };
    struct options options = {.processes = 5, .calls = 8, .seconds = 60};
    opterr = 0;
    for (int kind, index = -1; (kind = getopt_long(argc, argv, ":", known, &index)) != -1; index = -1) {
        const char *name = index >= 0 ? known[index].name : "";
        switch (kind) {
        case LIBRARY: options.library = optarg; break;
        case DIGEST_BITS: options.digest_bits = arguments_digest_bits(name, optarg); break;
        case BYTES: add_length(&options, name, optarg); break;
        case PROCESSES: options.processes = (unsigned)arguments_count(name, optarg, 1, 1000); break;
        case CALLS: options.calls = (unsigned)arguments_count(name, optarg, 1, MEMORY_MOST_CALLS); break;
        case SECONDS: options.seconds = arguments_seconds(name, optarg); break;
        case SANDBOX: options.sandbox = arguments_sandbox(name, optarg); break;
        case SHOW_HELP: fputs(help, stdout); exit(0);
        case SHOW_VERSION: puts("ngcc_memory " NGCC_VERSION); exit(0);
        case ':': arguments_mistake("%s needs a value", argv[optind - 1]);
        default: arguments_mistake("unknown or ambiguous option '%s'", argv[optind - 1]);
        }
    }
    if (optind < argc)
        arguments_mistake("unexpected argument '%s'", argv[optind]);
    if (options.library == NULL || options.digest_bits == 0 || options.lengths == 0)
        arguments_mistake("--library, --digest-bits and --bytes must be given");
    if (strlen(options.library) >= PATH_MAX)
        arguments_mistake("--library: a path of more than %d bytes", PATH_MAX - 1);
    return options;
}

static void describe(struct json *json, const struct memory_task *task, const struct memory_report *report)
{
    json_open_object(json, NULL);
    if (task->kind == MEMORY_RSS) {
        json_unsigned(json, "calls", task->calls);
        json_integer(json, "baseline_kib", report->baseline_kib);
        json_integer(json, "peak_kib", report->peak_kib);
    } else {
        json_integer(json, "stack_bytes", report->stack_bytes);
        json_integer(json, "heap_peak_bytes", report->heap_peak_bytes);
        json_open_array(json, "heap_live_bytes");
        for (unsigned i = 0; i < task->calls; i++)
            json_integer(json, NULL, report->heap_live_bytes[i]);
        json_close_array(json);
    }
    json_close_object(json);
}

/* Runs the processes of one kind, until one of them fails; none after a failure before. */
static void run_kind(struct json *json, const char *name, const struct options *options, struct memory_task *task,
                     enum outcome *outcome, char *reason, size_t capacity)
{
    static struct memory_report report;
    json_open_array(json, name);
    for (unsigned i = 0; i < options->processes && *outcome == OUTCOME_DONE; i++) {
        *outcome = memory_run(task, &report, reason, capacity);
        if (*outcome == OUTCOME_DONE)
            describe(json, task, &report);
    }
    json_close_array(json);
}

static void run_length(struct json *json, const struct options *options, const struct sandbox *sandbox,
                       unsigned long long bytes)
{
    static struct memory_task task;
    char operation[40], reason[400] = "";
    enum outcome outcome = OUTCOME_DONE;
    snprintf(operation, sizeof operation, "hash_%llu", bytes);
    snprintf(task.library, sizeof task.library, "%s", options->library);
    task.digest_bits = options->digest_bits;
    task.calls = options->calls;
    task.seconds = options->seconds;
    task.sandbox = *sandbox;
    task.message_bytes = bytes;
    json_open_object(json, NULL);
    json_string(json, "operation", operation);
    json_unsigned(json, "message_bytes", bytes);
    task.kind = MEMORY_RSS;
    run_kind(json, "rss", options, &task, &outcome, reason, sizeof reason);
    task.kind = MEMORY_CALL;
    run_kind(json, "call", options, &task, &outcome, reason, sizeof reason);
    json_string(json, "outcome", outcome_name(outcome));
    json_string(json, "reason", reason);
    json_close_object(json);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], MEMORY_OPTION) == 0)
        return memory_process(atoi(argv[2]));
    self_command(argc, argv);
    struct options options = parse(argc, argv);
    char library_sha256[65];
    child_supervise();
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
    json_string(&json, "schema", "ngcc-perf/memory-run");
    json_integer(&json, "version", 2);
    json_string(&json, "library_sha256", library_sha256);
    json_unsigned(&json, "digest_bits", options.digest_bits);
    sandbox_write(&json, &sandbox);
    json_open_array(&json, "operations");
    for (unsigned i = 0; i < options.lengths; i++)
        run_length(&json, &options, &sandbox, options.bytes[i]);
    json_close_array(&json);
    json_close_object(&json);
    if (json_write(&json, NULL) != 0)
        cannot_work("standard output", strerror(errno));
    json_free(&json);
    return 0;
}

/* The allocator. A library loaded later finds these functions before libc's; they pass on to libc under the names that
 * glibc keeps for this, which need no look-up and so work from the process's first instruction on. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

static void *counted(void *block)
{
    if (block != NULL)
        heap_note((int64_t)malloc_usable_size(block));
    return block;
}

void *malloc(size_t bytes)
{
    return counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return counted(__libc_calloc(count, bytes));
}

void free(void *block)
{
    if (block != NULL)
        heap_note(-(int64_t)malloc_usable_size(block));
    __libc_free(block);
}

/* Counts the difference, though a block that moves is there twice for a moment. */
void *realloc(void *block, size_t bytes)
{
    int64_t before = block != NULL ? (int64_t)malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, bytes);
    if (moved != NULL || bytes == 0)
        heap_note((moved != NULL ? (int64_t)malloc_usable_size(moved) : 0) - before);
    return moved;
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, all);
}

void *memalign(size_t alignment, size_t bytes)
{
    return counted(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

void *valloc(size_t bytes)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *aligned = memalign(alignment, bytes);
    if (aligned == NULL)
        return ENOMEM;
    *block = aligned;
    return 0;
}

static int64_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (int64_t)((bytes + page - 1) / page * page);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *memory = (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
    if (memory == MAP_FAILED)
        return memory;
    heap_unreserve(memory, whole_pages(bytes)); /* which a fixed mapping may have replaced */
    if (protection == PROT_NONE)
        heap_reserve(memory, whole_pages(bytes));
    else
        heap_note(whole_pages(bytes));
    return memory;
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int file, off64_t offset)
{
    return mmap(address, bytes, protection, flags, file, offset);
}

int munmap(void *memory, size_t bytes)
{
    int answer = (int)syscall(SYS_munmap, memory, bytes);
    if (answer == 0)
        heap_note(heap_unreserve(memory, whole_pages(bytes)) - whole_pages(bytes));
    return answer;
}

int mprotect(void *memory, size_t bytes, int protection)
{
    int answer = (int)syscall(SYS_mprotect, memory, bytes, protection);
    if (answer == 0 && protection != PROT_NONE)
        heap_note(heap_unreserve(memory, whole_pages(bytes)));
    return answer;
}

void *mremap(void *memory, size_t before, size_t after, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    void *moved = (void *)syscall(SYS_mremap, memory, before, after, flags, wanted);
    if (moved == MAP_FAILED)
        return moved;
    int64_t old = whole_pages(before), reserved = heap_unreserve(memory, old);
    if (reserved == old)
        heap_reserve(moved, whole_pages(after));
    else
        heap_note(whole_pages(after) - (old - reserved));
    return moved;
}
