/* Where things lie in a trial's process: another place in each, so that one lucky layout is not the result. */
#ifndef NGCC_LAYOUT_H
#define NGCC_LAYOUT_H

enum { LAYOUT_SPAN = 4096, LAYOUT_STEP = 16 };

struct layout {
    int message_offset;    /* of the message in its page, bytes, a multiple of LAYOUT_STEP below LAYOUT_SPAN */
    int stack_offset;      /* bytes put on the stack before the calls, likewise */
    int environment_bytes; /* length of a padding variable's value, below LAYOUT_SPAN; no such variable where 0 */
};

/* The layout of a trial by its number from 0, the same for every record; all 0 for trial 0. */
struct layout layout_of(int trial);

/* Puts the padding variable into the environment, or takes it away. */
void layout_pad_environment(const struct layout *layout);

/* Calls function with the stack that much deeper. */
void layout_call_deeper(const struct layout *layout, void (*function)(void));

#endif
