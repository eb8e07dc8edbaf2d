/* Layers of sandbox.c with files of their own. */
#ifndef NGCC_SANDBOX_LAYERS_H
#define NGCC_SANDBOX_LAYERS_H

#include <stdbool.h>

#include "progress.h"

/* Version of Landlock's interface, 0 where there is none. */
int landlock_version(void);

/* From here on no file is written, and only the system's libraries, `library` (or NULL) and the CPU's facts under /sys
 * are read; where the version allows, no TCP and no signals to other processes. False, with errno set, where that
 * failed. */
bool landlock_enter(int version, const char *library);

/* From here on system calls other than computing needs are answered ENOSYS, and hostile ones end the process by SIGSYS,
 * noted in `progress` where that is not NULL. False, with errno set, where that failed. */
bool calls_restrict(struct progress *progress);

#endif
