/* Differences of counter readings: only what counted forward, and no faster than any core does, passes. */
#include "counter.h"

#include "check.h"

static const struct counter_reading start = {1000, 100, 90};

static const char *fault(uint64_t cycles, uint64_t enabled_ns, uint64_t running_ns, int64_t elapsed_ns)
{
    struct counter_reading difference, end = {1000 + cycles, 100 + enabled_ns, 90 + running_ns};
    const char *found = counter_difference(&start, &end, elapsed_ns, &difference);
    return found != NULL ? found : "";
}

int main(void)
{
    struct counter_reading difference;
    CHECK(counter_difference(&start, &(struct counter_reading){3000, 150, 120}, 40, &difference) == NULL);
    CHECK(difference.cycles == 2000 && difference.enabled_ns == 50 && difference.running_ns == 30);
    CHECK_TEXT(fault(0, 50, 30, 40), "did not count");            /* stands still */
    CHECK_TEXT(fault((uint64_t)-900, 50, 30, 40), "did not count"); /* wrapped */
    CHECK_TEXT(fault(2000, 50, 0, 40), "did not count");          /* never ran */
    CHECK_TEXT(fault(2000, (uint64_t)-1, 30, 40), "did not count");
    CHECK_TEXT(fault(2000, 50, 51, 40), "ran longer than it was enabled");

    /* Readings take 1 us at most, and a counter that ran half the time stands for twice its count. */
    CHECK_TEXT(fault(10000000, 1001000, 1001000, 1000000), "");
    CHECK_TEXT(fault(10010001, 1001000, 1001000, 1000000), "counted more than 10 cycles a nanosecond");
    CHECK_TEXT(fault(5000000, 1001000, 500500, 1000000), "");
    CHECK_TEXT(fault(5006000, 1001000, 500500, 1000000), "counted more than 10 cycles a nanosecond");
    return failures != 0;
}
