/* Differences of counter readings: only what counted forward passes. */
#include "counter.h"

#include "check.h"

int main(void)
{
    struct counter_reading start = {1000, 100, 90}, difference;
    CHECK(counter_difference(&start, &(struct counter_reading){3000, 150, 120}, &difference));
    CHECK(difference.cycles == 2000 && difference.enabled_ns == 50 && difference.running_ns == 30);
    CHECK(!counter_difference(&start, &(struct counter_reading){1000, 150, 120}, &difference)); /* stands still */
    CHECK(!counter_difference(&start, &(struct counter_reading){5, 150, 120}, &difference));    /* wrapped */
    CHECK(!counter_difference(&start, &(struct counter_reading){3000, 150, 90}, &difference));  /* never ran */
    CHECK(!counter_difference(&start, &(struct counter_reading){3000, 99, 120}, &difference));
    return failures != 0;
}
