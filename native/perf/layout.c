#include "layout.h"

#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* SplitMix64: numbers that look random, the same everywhere. */
static uint64_t next_number(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

struct layout layout_of(int trial)
{
    if (trial == 0)
        return (struct layout){0, 0, 0};
    uint64_t state = (uint64_t)trial;
    struct layout layout;
    layout.message_offset = (int)(next_number(&state) % (LAYOUT_SPAN / LAYOUT_STEP)) * LAYOUT_STEP;
    layout.stack_offset = (int)(next_number(&state) % (LAYOUT_SPAN / LAYOUT_STEP)) * LAYOUT_STEP;
    layout.environment_bytes = (int)(next_number(&state) % LAYOUT_SPAN);
    return layout;
}

void layout_pad_environment(const struct layout *layout)
{
    static const char NAME[] = "NGCC_PERF_PADDING";
    char value[LAYOUT_SPAN];
    memset(value, 'x', sizeof value);
    value[layout->environment_bytes] = '\0';
    if (layout->environment_bytes > 0)
        setenv(NAME, value, 1);
    else
        unsetenv(NAME);
}

/* Not sanitized: that would put more on the stack. */
__attribute__((no_sanitize_address)) void layout_call_deeper(const struct layout *layout, void (*function)(void))
{
    volatile char *room = alloca((size_t)layout->stack_offset + LAYOUT_STEP);
    room[0] = 0;
    function();
    room[0] = 0; /* the room is needed until here */
}
