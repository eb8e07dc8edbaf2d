/* Ends the driver where it is stopped and nobody lets it go on: a stopped process can't watch itself, but the kernel can. */
#ifndef NGCC_WATCHDOG_H
#define NGCC_WATCHDOG_H

/* What the driver itself may take between two trials, in seconds: digests, canaries, writing to a slow disk. */
enum { WATCHDOG_BESIDES = 300 };

/* From now on, until it is called again, the driver has so many seconds (CLOCK_MONOTONIC) and WATCHDOG_BESIDES. After
 * that it says in a sentence that it did not end, and ends with status 1; where it can't even do that, it is killed. */
void watchdog_allow(double seconds);

#endif
