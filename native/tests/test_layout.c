/* Layouts: plain in trial 0, within their bounds and different after it, the same in every run, and in force. */
#include "layout.h"

#include <stdint.h>
#include <stdlib.h>

#include "check.h"

static uintptr_t deepest;

static void note_stack(void)
{
    deepest = (uintptr_t)__builtin_frame_address(0);
}

static uintptr_t stack_at(int stack_offset)
{
    layout_call_deeper(&(struct layout){.stack_offset = stack_offset}, note_stack);
    return deepest;
}

static void every_layout_is_within_bounds(void)
{
    int seen[3] = {0, 0, 0};
    struct layout plain = layout_of(0);
    CHECK(plain.message_offset == 0 && plain.stack_offset == 0 && plain.environment_bytes == 0);
    for (int trial = 1; trial < 100; trial++) {
        struct layout layout = layout_of(trial), before = layout_of(trial - 1);
        CHECK(layout.message_offset >= 0 && layout.message_offset < 4096 && layout.message_offset % 16 == 0);
        CHECK(layout.stack_offset >= 0 && layout.stack_offset < 4096 && layout.stack_offset % 16 == 0);
        CHECK(layout.environment_bytes >= 0 && layout.environment_bytes < 4096);
        seen[0] += layout.message_offset != before.message_offset;
        seen[1] += layout.stack_offset != before.stack_offset;
        seen[2] += layout.environment_bytes != before.environment_bytes;
    }
    CHECK(seen[0] > 90 && seen[1] > 90 && seen[2] > 90);
}

/* Evidence of one version of the driver must be repeatable. */
static void the_rule_stays(void)
{
    struct layout first = layout_of(1), last = layout_of(99);
    CHECK(first.message_offset == 3088 && first.stack_offset == 1648 && first.environment_bytes == 1374);
    CHECK(last.message_offset == 3632 && last.stack_offset == 2624 && last.environment_bytes == 763);
}

static void they_are_in_force(void)
{
    uintptr_t plain = stack_at(0);
    for (int offset = 16; offset < LAYOUT_SPAN; offset += 16)
        CHECK(plain - stack_at(offset) == (uintptr_t)offset);

    layout_pad_environment(&(struct layout){.environment_bytes = 4095});
    CHECK(strlen(getenv("NGCC_PERF_PADDING")) == 4095);
    layout_pad_environment(&(struct layout){.environment_bytes = 1});
    CHECK_TEXT(getenv("NGCC_PERF_PADDING"), "x");
    layout_pad_environment(&(struct layout){.environment_bytes = 0});
    CHECK(getenv("NGCC_PERF_PADDING") == NULL);
}

int main(void)
{
    every_layout_is_within_bounds();
    the_rule_stays();
    they_are_in_force();
    return failures != 0;
}
