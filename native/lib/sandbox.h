/* What candidate code may do: compute. Layers that the kernel gives anybody, each of which holds by itself; a host may
 * lack some. */
#ifndef NGCC_SANDBOX_H
#define NGCC_SANDBOX_H

#include <stdbool.h>

#include "json.h"
#include "progress.h"

enum sandbox_mode {
    SANDBOX_BEST,    /* the layers that this host gives */
    SANDBOX_REQUIRE, /* all of them */
    SANDBOX_OFF      /* none, to see what they cost */
};

struct sandbox {
    enum sandbox_mode mode;
    bool no_new_privs; /* and no privileges left */
    bool limits;       /* address space, CPU time, open files; no file grows, no process starts */
    bool namespaces;   /* a user of its own, and a network without anybody */
    int landlock;      /* version of its interface, 0 without: nothing is written, only libraries and the CPU's facts
                          under /sys are read */
    bool seccomp;      /* only the system calls that computing needs */
    int user, network; /* descriptors of the namespaces */
};

/* False where the word is neither best, require nor off. */
bool sandbox_mode_named(const char *word, enum sandbox_mode *mode);

/* Once: the layers that can be had here, as a process tried them that then ended. All that enter the sandbox share its
 * namespaces. */
struct sandbox sandbox_find(enum sandbox_mode mode);

/* Child, before an exec: what it executes can enter the sandbox. */
void sandbox_hand_on(const struct sandbox *sandbox);

/* A sentence where the mode asks for a layer that is not there, else NULL. */
const char *sandbox_lack(const struct sandbox *sandbox);

enum { SANDBOX_KEPT = 3, SANDBOX_MIB = 2048 };

struct sandbox_needs {
    const char *library;
    double seconds;         /* CPU time it may take; the supervisor's limit on elapsed time comes first */
    int kept[SANDBOX_KEPT]; /* descriptors that stay open besides 0 to 2 */
};

/* Child, with one thread, just before child_ready: forgets the environment, enters exactly these layers, or ends as KILLED. Further address space
 * is SANDBOX_MIB. A forbidden system call ends the process by SIGSYS, noted in `progress` as FORBIDDEN. */
void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_needs *needs, struct progress *progress);

/* Member "sandbox". */
void sandbox_write(struct json *json, const struct sandbox *sandbox);

#endif
