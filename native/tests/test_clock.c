/* Clocks run forward, and the chain takes a possible time; nothing here depends on how fast this machine is. */
#include "clock.h"

#include "check.h"

int main(void)
{
    int64_t before = clock_now_ns();
    uint64_t ticks = clock_reference_ticks();
    int64_t step = clock_step_ns();
    CHECK(step > 0 && step < 1000000000);
    CHECK(clock_now_ns() > before);
    if (strcmp(clock_reference_name(), "none") != 0)
        CHECK(clock_reference_ticks() > ticks);
    struct clock_moment first = clock_moment_now(), then = clock_moment_now();
    CHECK(first.ns > before && then.ns >= first.ns && then.ticks >= first.ticks);
    if (clock_chain_obstacle()[0] == '\0') {
        int64_t start = clock_now_ns(), chain = clock_chain_ns(), wall = clock_now_ns() - start;
        CHECK(chain > 0 && chain <= wall);
        CHECK(chain > CLOCK_CHAIN_ADDITIONS / 20); /* 20 GHz */
    }
    return failures != 0;
}
