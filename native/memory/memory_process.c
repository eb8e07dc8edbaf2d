/* The side that runs candidate code. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap.h"
#include "library.h"
#include "memory_run.h"
#include "message.h"
#include "stack.h"

struct call {
    crypt_hash *hash;
    int digest_bits, returned;
    const unsigned char *message;
    unsigned long long message_bits;
    unsigned char *digest;
    const unsigned char *stack_pointer;
};

static void call_hash(void *argument)
{
    struct call *call = argument;
    call->stack_pointer = stack_pointer();
    call->returned = call->hash(call->digest_bits, call->message, call->message_bits, call->digest);
}

/* A figure of /proc/self/status in KiB, -1 where there is none. Read without stdio, whose buffers would be memory in
 * use. */
static int64_t status_kib(int status, const char *name)
{
    char text[4096];
    ssize_t length = pread(status, text, sizeof text - 1, 0);
    text[length < 0 ? 0 : length] = '\0';
    const char *line = strstr(text, name);
    return line == NULL ? -1 : strtoll(line + strlen(name), NULL, 10);
}

static bool prepare(struct call *call, const struct memory_task *task)
{
    unsigned char *message = malloc(task->message_bytes + 1);
    call->digest = calloc(1, task->digest_bits / 8 + 4096); /* room for those that write more: ngcc_kat tells of it */
    if (message == NULL || call->digest == NULL)
        return false;
    message_make(message, task->message_bytes);
    call->digest_bits = (int)task->digest_bits;
    call->message = message;
    call->message_bits = 8 * task->message_bytes;
    return true;
}

/* `status` is open since before the process was shut in. */
static void measure(struct call *call, const struct stack *stack, int status, const struct memory_task *task,
                    struct memory_report *report)
{
    bool counts = task->kind == MEMORY_CALL;
    report->progress.stage = STAGE_CALLING;
    report->baseline_kib = status_kib(status, "VmRSS:");
    if (counts)
        stack_paint(stack);
    for (unsigned i = 0; i < task->calls; i++) {
        report->progress.call = i;
        heap_count(counts);
        stack_run(stack, call_hash, call);
        heap_count(false);
        if (call->returned != 0)
            progress_stop(&report->progress, OUTCOME_ERROR, "returned %d", call->returned);
        report->heap_live_bytes[i] = heap_live();
    }
    report->heap_peak_bytes = heap_peak();
    if (counts && stack_lowest(stack) < call->stack_pointer)
        report->stack_bytes = call->stack_pointer - stack_lowest(stack);
    report->peak_kib = status_kib(status, "VmHWM:");
    report->progress.stage = STAGE_FINISHED;
}

int memory_process(int exchange_file)
{
    struct memory_exchange *exchange =
        mmap(NULL, sizeof *exchange, PROT_READ | PROT_WRITE, MAP_SHARED, exchange_file, 0);
    if (exchange == MAP_FAILED)
        return 1;
    close(exchange_file);
    static struct memory_task task; /* candidate code can write to the shared one */
    task = exchange->task;
    struct progress *progress = &exchange->report.progress;
    struct call call = {.returned = 0};
    static struct stack stack;
    if (!stack_make(&stack) || !prepare(&call, &task))
        progress_stop(progress, OUTCOME_KILLED, "no memory for stack and message");
    int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    progress_watch(progress, &stack.guard, 1);
    struct sandbox_needs needs = {.library = task.library, .seconds = task.seconds, .kept = {status}};
    sandbox_enter(&task.sandbox, &needs, progress);
    child_ready();
    call.hash = library_open(task.library, progress->reason, sizeof progress->reason);
    if (call.hash == NULL) {
        progress->outcome = OUTCOME_ERROR;
        return 0;
    }
    measure(&call, &stack, status, &task, &exchange->report);
    _exit(0); /* the library's destructors are nobody's concern */
}
