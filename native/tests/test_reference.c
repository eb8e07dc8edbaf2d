/* The reference from file to file: believed where it is this host's, improved, measured anew otherwise. */
#include "reference.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "canary.h"
#include "check.h"
#include "clock.h"

static char file[] = "/tmp/test_reference.XXXXXX";
static int cpu;

static void write_text(const char *text)
{
    FILE *stream = fopen(file, "w");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

/* What a file of this host with that number says. */
static void write_best_text(const struct reference *reference, const char *additions, const char *best)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\n  \"schema\": \"ngcc-perf/canary\",\n  \"version\": 1,\n  \"key\": \"%s\",\n"
             "  \"additions\": %s,\n  \"best_ns\": %s\n}",
             reference->key, additions, best);
    write_text(text);
}

static void write_best(const struct reference *reference, int64_t best_ns)
{
    char additions[32], best[32];
    snprintf(additions, sizeof additions, "%d", CANARY_ADDITIONS);
    snprintf(best, sizeof best, "%" PRId64, best_ns);
    write_best_text(reference, additions, best);
}

static struct reference started_on(const char *driver, const char *machine, const char *fitness)
{
    struct reference reference;
    struct reference_of of = {driver, cpu, machine, fitness};
    reference_start(&reference, file, &of);
    CHECK(reference.exists && reference.seen_ns > 0 && reference.stored_ns > 0);
    return reference;
}

static struct reference started(const char *driver)
{
    return started_on(driver, "", "");
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
    write_best(first, 1000 * first->seen_ns);
    struct reference slow = started("a"); /* a thousand times slower than now */
    CHECK(slow.from_file && reference_least_ns(&slow) == slow.seen_ns);
    CHECK(reference_store(&slow, file));
    struct reference improved = started("a");
    CHECK(improved.from_file && improved.stored_ns == slow.seen_ns);

    struct reference kept = improved;
    kept.seen_ns = kept.stored_ns;
    CHECK(unlink(file) == 0 && reference_store(&kept, file) && access(file, F_OK) != 0);
}

/* Each of six chains makes one addition a cycle: at 4 GHz 65536 additions of one take 16384 ns. */
static void no_core_is_faster_than_its_clock(void)
{
    int64_t chain_ns = 16384, least_ns = 65536;
    CHECK(CANARY_ADDITIONS == 6 * 4 * CLOCK_CHAIN_ADDITIONS);
    CHECK(reference_is_possible(least_ns, chain_ns) && reference_is_possible(least_ns * 96 / 100, chain_ns));
    CHECK(!reference_is_possible(least_ns * 94 / 100, chain_ns));
    CHECK(reference_is_possible(1, 0)); /* no chain tells */
}

static void what_no_core_reaches_is_measured_anew(const struct reference *first)
{
    write_best(first, clock_chain_ns()); /* 24 additions a cycle */
    struct reference fast = started("a");
    CHECK(!fast.from_file && fast.stored_ns == fast.seen_ns && fast.stored_ns > clock_chain_ns());
    CHECK(reference_store(&fast, file));
    struct reference again = started("a");
    CHECK(again.from_file && again.stored_ns == fast.seen_ns);
}

static void what_is_not_reached_at_once_is_looked_for(const struct reference *first)
{
    int64_t best_ns = first->seen_ns * 9 / 10;
    write_best(first, best_ns);
    int64_t start_ns = clock_now_ns();
    struct reference unreached = started("a");
    CHECK(unreached.seen_ns <= best_ns * (1 + CANARY_TOLERANCE) || clock_now_ns() - start_ns >= 1000000000);
    if (reference_is_possible(best_ns * 9 / 10, clock_chain_ns())) /* of cores of fewer than six adders */
        CHECK(unreached.from_file && unreached.stored_ns == best_ns);
}

static void another_machine_or_state_starts_anew(void)
{
    struct reference known = started_on("a", "x86_64; AMD; X1", "fit");
    write_best(&known, 1000 * known.seen_ns);
    CHECK(started_on("a", "x86_64; AMD; X1", "fit").from_file);
    CHECK(!started_on("a", "x86_64; AMD; X2", "fit").from_file);
    CHECK(!started_on("a", "x86_64; AMD; X1", "boost: on").from_file);
    CHECK(!started_on("a", "x86_64; AMD; X1fit", "").from_file);
    CHECK(!started("a").from_file);
}

static void what_is_not_this_hosts_is_not_read(const struct reference *first)
{
    char additions[32];
    snprintf(additions, sizeof additions, "%d", CANARY_ADDITIONS);
    write_best(first, 1000000);
    CHECK(reference_read(first, file) == 1000000);
    struct reference foreign = started("b");
    CHECK(!foreign.from_file && reference_read(&foreign, file) == 0);
    write_best_text(first, "600", "1000000");
    CHECK(reference_read(first, file) == 0);
    static const char *const damaged[] = {"0", "-5", "null", "\"x\"", "1000000.5", "{}", "01000000",
                                          "+1000000", "99999999999999999999"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_best_text(first, additions, damaged[i]);
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
    no_core_is_faster_than_its_clock();
    what_no_core_reaches_is_measured_anew(&first);
    what_is_not_reached_at_once_is_looked_for(&first);
    another_machine_or_state_starts_anew();
    what_is_not_this_hosts_is_not_read(&first);
    CHECK(reference_store(&first, NULL)); /* no file is wanted */
    CHECK(!reference_store(&first, "/dev/null/file"));
    unlink(file);
    return failures != 0;
}
