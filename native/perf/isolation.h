/* What a process may do by itself to be left alone. */
#ifndef NGCC_ISOLATION_H
#define NGCC_ISOLATION_H

#include <stdbool.h>

/* Gives the supervisor a real-time priority one above that of its trials, so that it can always end them. False
 * where that isn't allowed: then trials must not have one. */
bool isolation_supervise(void);

/* Gives a trial the lowest real-time priority, which what it starts doesn't inherit. */
bool isolation_take_realtime(void);

/* Whether real-time priority helps a batch of so many ns: kernels take real-time processes off the CPU for 50 ms in
 * each second, which would tear most of the longer ones. */
bool isolation_suits(double batch_ns);

/* As far as it may: whoever has the privilege to lock memory can do so without it afterwards. */
void isolation_raise_memory_limit(void);

/* Keeps in memory what is there, and what will be there of the mappings that there are. */
bool isolation_lock_memory(void);

#endif
