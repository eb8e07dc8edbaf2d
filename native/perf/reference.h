/* The least time that a canary takes on this host: kept in a file from record to record, found by the supervisor alone,
 * since candidate code could forge what a trial's process reports. */
#ifndef NGCC_REFERENCE_H
#define NGCC_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct reference {
    bool exists;       /* there is a canary; else nothing below means anything */
    int64_t stored_ns; /* before this run: of the file, else measured at the start of it */
    int64_t seen_ns;   /* least of this run */
    bool from_file;
    char key[512]; /* tells apart what reference_of tells apart, and kernels and processors */
};

/* Whose canaries can be compared. */
struct reference_of {
    const char *driver_sha256;
    int cpu;
    const char *machine, *fitness; /* lines that tell machines and their states apart, boost on or off say; "" unknown */
};

/* What the file says, ns; 0 unless it is whole and has the reference's key. */
int64_t reference_read(const struct reference *reference, const char *file);

/* Whether a core whose clock_chain_ns is chain_ns can be so fast: each chain of a canary makes one addition a cycle. */
bool reference_is_possible(int64_t canary_ns, int64_t chain_ns);

/* Reads the file. Measures for about a second on the CPU where there is none (NULL), where it is damaged or of something
 * else, and at most so long where canaries now take longer than it says. Then what it says is believed if it is possible. */
void reference_start(struct reference *reference, const char *file, const struct reference_of *of);

/* A few more canaries on the CPU: before each trial. */
void reference_look(struct reference *reference, int cpu);

/* The better of stored_ns and seen_ns. */
int64_t reference_least_ns(const struct reference *reference);

/* Writes the file where it would say more than it did. False, with errno set, where that failed. */
bool reference_store(const struct reference *reference, const char *file);

#endif
