#include "reference.h"

#include "canary.h"
#include "clock.h"
#include "cpu.h"
#include "file.h"
#include "json.h"
#include "sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* One digest of lines of any length. */
static void digest_state(const struct reference_of *of, char hex[65])
{
    unsigned char digest[32];
    struct sha256 context;
    sha256_init(&context);
    sha256_update(&context, of->machine, strlen(of->machine) + 1);
    sha256_update(&context, of->fitness, strlen(of->fitness));
    sha256_final(&context, digest);
    sha256_hex(digest, hex);
}

static void make_key(struct reference *reference, const struct reference_of *of)
{
    struct utsname system = {0};
    char model[128], state[65];
    uname(&system);
    cpu_model(of->cpu, "/proc/cpuinfo", model, sizeof model);
    digest_state(of, state);
    snprintf(reference->key, sizeof reference->key, "driver %.64s, cpu %d, state %s, %.64s %.64s %.64s, %s",
             of->driver_sha256, of->cpu, state, system.sysname, system.release, system.machine, model);
}

static bool has(const char *document, const char *name, const char *expected)
{
    char value[sizeof ((struct reference *)NULL)->key];
    return json_field(document, name, value, sizeof value) == 0 && strcmp(value, expected) == 0;
}

int64_t reference_read(const struct reference *reference, const char *file)
{
    char additions[32];
    const char *why;
    char *document = file != NULL ? file_text(file, &why) : NULL;
    if (document == NULL)
        return 0;
    snprintf(additions, sizeof additions, "%d", CANARY_ADDITIONS);
    bool ours = has(document, "schema", "ngcc-perf/canary") && has(document, "version", "1") &&
                has(document, "key", reference->key) && has(document, "additions", additions);
    int64_t ns = ours ? json_count(document, "best_ns", INT64_MAX) : 0;
    free(document);
    return ns;
}

bool reference_is_possible(int64_t canary_ns, int64_t chain_ns)
{
    const double allowance = 0.05; /* of the clock, which the chain told at another moment */
    double cycle_ns = (double)chain_ns / CLOCK_CHAIN_ADDITIONS;
    return (double)canary_ns >= (1 - allowance) * cycle_ns * CANARY_ADDITIONS / CANARY_CHAINS;
}

/* Also where nothing is stored. */
static bool is_short_of_stored(const struct reference *reference)
{
    return canary_is_disturbed(reference->seen_ns, reference->stored_ns);
}

/* Runs canaries on the CPU, at least `runs` of them, and for `ns` unless one reaches what is stored. */
static void look(struct reference *reference, int cpu, int runs, int64_t ns)
{
    struct cpu_list before;
    if (cpu_allowed(&before) < 0 || !cpu_pin(cpu))
        return;
    int64_t start = clock_now_ns();
    canary_run_ns();
    for (int run = 0; run < runs || (clock_now_ns() - start < ns && is_short_of_stored(reference)); run++) {
        int64_t canary_ns = canary_run_ns();
        if (reference->seen_ns == 0 || canary_ns < reference->seen_ns)
            reference->seen_ns = canary_ns;
    }
    cpu_restrict(&before);
}

static int64_t chain_on(int cpu)
{
    struct cpu_list before;
    if (cpu_allowed(&before) < 0 || !cpu_pin(cpu))
        return 0;
    int64_t chain_ns = clock_chain_ns();
    cpu_restrict(&before);
    return chain_ns;
}

void reference_start(struct reference *reference, const char *file, const struct reference_of *of)
{
    *reference = (struct reference){.exists = canary_exists()};
    if (!reference->exists)
        return;
    make_key(reference, of);
    reference->stored_ns = reference_read(reference, file);
    reference_look(reference, of->cpu);
    if (is_short_of_stored(reference)) {
        look(reference, of->cpu, 1, 1000000000);
        if (!reference_is_possible(reference->stored_ns, chain_on(of->cpu)))
            reference->stored_ns = 0;
    }
    reference->from_file = reference->stored_ns > 0;
    if (!reference->from_file)
        reference->stored_ns = reference->seen_ns;
    reference->exists = reference->seen_ns > 0;
}

void reference_look(struct reference *reference, int cpu)
{
    if (reference->exists)
        look(reference, cpu, 10, 0);
}

int64_t reference_least_ns(const struct reference *reference)
{
    return reference->seen_ns < reference->stored_ns ? reference->seen_ns : reference->stored_ns;
}

bool reference_store(const struct reference *reference, const char *file)
{
    if (!reference->exists || file == NULL || (reference->from_file && reference->seen_ns >= reference->stored_ns))
        return true;
    struct json json;
    json_init(&json);
    json_open_object(&json, NULL);
    json_string(&json, "schema", "ngcc-perf/canary");
    json_integer(&json, "version", 1);
    json_string(&json, "key", reference->key);
    json_integer(&json, "additions", CANARY_ADDITIONS);
    json_integer(&json, "best_ns", reference_least_ns(reference));
    json_close_object(&json);
    bool written = json_write(&json, file) == 0;
    json_free(&json);
    return written;
}
