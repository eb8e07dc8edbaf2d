/* The message that is timed: what ngcc_perf times, ngcc_memory weighs and ngcc_kat knows the answer to. */
#ifndef NGCC_MESSAGE_H
#define NGCC_MESSAGE_H

#include <stdint.h>

/* Writes the generator's first output after the seed 00, 01, ..., 2F, in one call for `bytes` bytes. */
void message_make(unsigned char *message, uint64_t bytes);

#endif
