/* The reference from file to file: believed where it is this host's, improved, measured anew otherwise. */
#include "reference.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "canary.h"
#include "check.h"

static char file[] = "/tmp/test_reference.XXXXXX";
static int cpu;

static void write_text(const char *text)
{
    FILE *stream = fopen(file, "w");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

/* What a file of this host with that number says. */
static void write_best(const struct reference *reference, const char *additions, const char *best)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\n  \"schema\": \"ngcc-perf/canary\",\n  \"version\": 1,\n  \"key\": \"%s\",\n"
             "  \"additions\": %s,\n  \"best_ns\": %s\n}",
             reference->key, additions, best);
    write_text(text);
}

static struct reference started(const char *driver)
{
    struct reference reference;
    reference_start(&reference, file, driver, cpu);
    CHECK(reference.exists && reference.seen_ns > 0 && reference.stored_ns > 0);
    return reference;
}

static void a_file_is_written_and_believed(struct reference *first)
{
    *first = started("a");
    CHECK(!first->from_file && first->stored_ns == first->seen_ns);
    CHECK(reference_store(first, file));
    struct reference again = started("a");
    CHECK(again.from_file && again.stored_ns == first->seen_ns);
    int64_t seen = again.seen_ns;
    reference_look(&again, cpu);
    CHECK(again.seen_ns <= seen && again.stored_ns == first->seen_ns);
}

static void only_what_improves_is_written(const struct reference *first)
{
    char additions[32], best[32];
    snprintf(additions, sizeof additions, "%d", CANARY_ADDITIONS);
    snprintf(best, sizeof best, "%lld", 1000 * (long long)first->seen_ns);
    write_best(first, additions, best);
    struct reference slow = started("a"); /* a thousand times slower than now */
    CHECK(slow.from_file && reference_least_ns(&slow) == slow.seen_ns);
    CHECK(reference_store(&slow, file));
    struct reference improved = started("a");
    CHECK(improved.from_file && improved.stored_ns == slow.seen_ns);

    snprintf(best, sizeof best, "%d", CANARY_ADDITIONS / 90);
    write_best(first, additions, best);
    struct reference fast = started("a"); /* faster than any core */
    CHECK(fast.from_file && reference_least_ns(&fast) == CANARY_ADDITIONS / 90);
    CHECK(unlink(file) == 0 && reference_store(&fast, file) && access(file, F_OK) != 0);
}

static void what_is_not_this_hosts_is_measured_anew(const struct reference *first)
{
    char additions[32];
    snprintf(additions, sizeof additions, "%d", CANARY_ADDITIONS);
    write_best(first, additions, "1000000");
    CHECK(reference_read(first, file) == 1000000);
    struct reference foreign = started("b");
    CHECK(!foreign.from_file && reference_read(&foreign, file) == 0);
    write_best(first, "600", "1000000");
    CHECK(reference_read(first, file) == 0);
    static const char *const damaged[] = {"0", "-5", "1", "null", "\"x\"", "1000000.5", "{}"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_best(first, additions, damaged[i]);
        CHECK(reference_read(first, file) == 0);
    }
    write_text("{");
    CHECK(reference_read(first, file) == 0);
}

int main(void)
{
    if (!canary_exists())
        return 0;
    int number = mkstemp(file);
    cpu = sched_getcpu();
    CHECK(number >= 0 && close(number) == 0);
    struct reference first;
    a_file_is_written_and_believed(&first);
    only_what_improves_is_written(&first);
    what_is_not_this_hosts_is_measured_anew(&first);
    CHECK(reference_store(&first, NULL)); /* no file is wanted */
    CHECK(!reference_store(&first, "/dev/null/file"));
    unlink(file);
    return failures != 0;
}
