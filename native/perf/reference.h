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
    char key[512]; /* tells hosts, drivers and CPUs apart */
};

/* What the file says, ns; 0 unless it is whole, has the reference's key, and says what a core can do. */
int64_t reference_read(const struct reference *reference, const char *file);

/* Reads the file; where there is none (NULL), or it is damaged or another host's, measures for about a second on the
 * CPU. */
void reference_start(struct reference *reference, const char *file, const char *driver_sha256, int cpu);

/* A few more canaries on the CPU: before each trial. */
void reference_look(struct reference *reference, int cpu);

/* The better of stored_ns and seen_ns. */
int64_t reference_least_ns(const struct reference *reference);

/* Writes the file where it would say more than it did. False, with errno set, where that failed. */
bool reference_store(const struct reference *reference, const char *file);

#endif
