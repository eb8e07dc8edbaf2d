#include "answers.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"
#include "library.h"
#include "guarded.h"
#include "stack.h"

/* What the process has at hand while it answers. */
struct session {
    const struct examinee *examinee;
    const struct question *questions;
    unsigned count;
    enum manner manner;
    unsigned char *digests;
    crypt_hash *hash;
    struct guarded guarded;
    struct stack stack;
    struct region forbidden[4];
    unsigned char *copy; /* DISTURBED: room for a message at an odd address */
};

static void ask(struct session *session, const unsigned char *message, unsigned long long bits, unsigned char *digest)
{
    struct guarded *guarded = &session->guarded;
    struct progress *progress = session->examinee->progress;
    memset(guarded->digest, session->manner == DISTURBED ? 0xFF : 0x00, guarded->bytes);
    int returned = session->hash((int)session->examinee->digest_bits, message, bits, guarded->digest);
    if (returned != 0)
        progress_stop(progress, OUTCOME_ERROR, "returned %d", returned);
    const char *harm = guarded_harm(guarded);
    if (harm != NULL)
        progress_stop(progress, OUTCOME_OVERFLOW, "%s", harm);
    memcpy(digest, guarded->digest, guarded->bytes);
}

static void answer_plainly(struct session *session)
{
    unsigned char *digest = session->digests;
    for (unsigned i = 0; i < session->count; i++, digest += session->guarded.bytes) {
        session->examinee->progress->call = i;
        ask(session, session->questions[i].message, session->questions[i].bits, digest);
    }
}

static __attribute__((noinline)) void fill_stack(int garbage)
{
    unsigned char frame[1 << 14];
    memset(frame, garbage, sizeof frame);
    __asm__ volatile("" : : "r"(frame) : "memory"); /* the compiler must not leave the fill out */
}

static void answer_disturbed(struct session *session)
{
    static const unsigned char offsets[3] = {1, 3, 5};
    unsigned char *digest = session->digests;
    for (unsigned i = 0; i < session->count; i++, digest += session->guarded.bytes) {
        const struct question *question = &session->questions[i];
        unsigned char *message = session->copy + offsets[i % 3];
        size_t bytes = (question->bits + 7) / 8;
        session->examinee->progress->call = i;
        memcpy(message, question->message, bytes);
        memset(message + bytes, 0xE5 + (int)i, 16);
        fill_stack(0x5A + (int)i);
        ask(session, message, question->bits, digest);
    }
}

/* m turns left by the digest's width, h goes into its first bytes, and so on. The library sees a copy. */
static void answer_looping(struct session *session)
{
    unsigned char message[LOOP_BYTES], turned[LOOP_BYTES];
    unsigned char *digest = session->digests;
    size_t width = session->guarded.bytes, turn = width % LOOP_BYTES, mixed = width < LOOP_BYTES ? width : LOOP_BYTES;
    memcpy(message, session->questions[0].message, LOOP_BYTES);
    ask(session, session->questions[0].message, 8 * LOOP_BYTES, digest);
    for (unsigned i = 1; i <= LOOP_ITERATIONS; i++) {
        session->examinee->progress->call = i;
        memcpy(turned, message + turn, LOOP_BYTES - turn);
        memcpy(turned + LOOP_BYTES - turn, message, turn);
        for (size_t j = 0; j < mixed; j++)
            turned[j] ^= digest[j];
        memcpy(message, turned, LOOP_BYTES);
        ask(session, turned, 8 * LOOP_BYTES, digest);
    }
}

static void answer(void *argument)
{
    static void (*const manners[])(struct session *) = {answer_plainly, answer_disturbed, answer_looping};
    struct session *session = argument;
    manners[session->manner](session);
}

static bool make_copy(struct session *session)
{
    size_t longest = 0;
    for (unsigned i = 0; i < session->count; i++)
        if (session->questions[i].bits / 8 > longest)
            longest = session->questions[i].bits / 8;
    session->copy = malloc(longest + 32);
    return session->copy != NULL;
}

/* The two processes that answer the same questions run on different CPUs, where there are two. */
static void choose_cpus(enum manner manner)
{
    struct cpu_list allowed;
    if (manner == LOOPING || cpu_allowed(&allowed) < 0)
        return;
    struct cpu_list half = cpu_half(&allowed, manner == DISTURBED);
    cpu_restrict(&half);
}

/* What the child does. */
static _Noreturn void be_examined(struct session *session)
{
    const struct examinee *examinee = session->examinee;
    struct progress *progress = examinee->progress;
    choose_cpus(session->manner);
    if (!guarded_make(&session->guarded, examinee->digest_bits / 8, session->manner == DISTURBED) || !stack_make(&session->stack) ||
        (session->manner == DISTURBED && !make_copy(session)))
        progress_stop(progress, OUTCOME_KILLED, "no memory for digest, stack and message");
    mprotect((void *)examinee->messages.start, (size_t)(examinee->messages.end - examinee->messages.start), PROT_READ);
    session->forbidden[0] = session->guarded.guards[0];
    session->forbidden[1] = session->guarded.guards[1];
    session->forbidden[2] = session->stack.guard;
    session->forbidden[3] = examinee->messages;
    progress_watch(progress, session->forbidden, 4);
    if (session->manner == DISTURBED)
        mallopt(M_PERTURB, 0x3C);

    struct sandbox_needs needs = {.library = examinee->library, .seconds = examinee->seconds};
    sandbox_enter(examinee->sandbox, &needs, progress);
    child_ready();
    session->hash = library_open(examinee->library, progress->reason, sizeof progress->reason);
    if (session->hash == NULL) {
        progress->outcome = OUTCOME_ERROR;
        _exit(0);
    }
    progress->stage = STAGE_CALLING;
    stack_run(&session->stack, answer, session);
    progress->stage = STAGE_FINISHED;
    _exit(0);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Which question was being answered, also in words. */
static void locate(const struct session *session, unsigned call, struct finding *finding, char *where, size_t capacity)
{
    bool looping = session->manner == LOOPING;
    finding->asked = looping ? 0 : call < session->count ? call : session->count - 1;
    const struct question *question = &session->questions[finding->asked];
    char name[QUESTION_NAME];
    question_name(question, name);
    int length = snprintf(where, capacity, "during %s", name);
    if (looping)
        snprintf(where + length, capacity - (size_t)length, ", iteration %u", call);
    if (session->manner == DISTURBED)
        snprintf(where + length, capacity - (size_t)length, ", asked again at an odd address by a second process");
}

void examinee_answer(struct examinee *examinee, const struct question *questions, unsigned count, enum manner manner,
                     unsigned char *digests, struct finding *finding)
{
    struct session session = {
        .examinee = examinee, .questions = questions, .count = count, .manner = manner, .digests = digests};
    memset(examinee->progress, 0, sizeof *examinee->progress);
    struct child child;
    pid_t pid = child_fork(&child);
    if (pid == 0)
        be_examined(&session);
    if (pid < 0) {
        *finding = (struct finding){OUTCOME_KILLED, 0, "no process could be started"};
        return;
    }
    double start = now();
    struct child_outcome end = child_wait(&child, examinee->seconds);
    examinee->seconds -= now() - start;

    char where[200];
    locate(&session, examinee->progress->call, finding, where, sizeof where);
    finding->outcome = progress_judge(examinee->progress, end, examinee->limit, where, finding->reason,
                                      sizeof finding->reason);
}

static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool examinee_prepare(struct examinee *examinee, size_t message_bytes, size_t digest_count)
{
    unsigned char *messages = share(message_bytes);
    examinee->messages = (struct region){messages, messages + (messages != NULL ? message_bytes : 0), OUTCOME_CRASH,
                                         "wrote to its message, which is read-only"};
    examinee->digests_bytes = digest_count * (examinee->digest_bits / 8);
    examinee->digests = share(examinee->digests_bytes);
    examinee->progress = share(sizeof *examinee->progress);
    if (messages != NULL && examinee->digests != NULL && examinee->progress != NULL)
        return true;
    examinee_release(examinee);
    return false;
}

static void give_back(const void *memory, size_t bytes)
{
    if (memory != NULL)
        munmap((void *)memory, bytes);
}

void examinee_release(struct examinee *examinee)
{
    give_back(examinee->messages.start, (size_t)(examinee->messages.end - examinee->messages.start));
    give_back(examinee->digests, examinee->digests_bytes);
    give_back(examinee->progress, sizeof *examinee->progress);
}
