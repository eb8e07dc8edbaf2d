/* Canaries take a possible time; nothing here depends on how fast, or how busy, this machine is. */
#include "canary.h"

#include "check.h"
#include "clock.h"

int main(void)
{
    if (canary_exists()) {
        int64_t start = clock_now_ns(), canary = canary_run_ns(), wall = clock_now_ns() - start;
        CHECK(canary >= CANARY_ADDITIONS / 60 && canary <= wall); /* ten a cycle at 6 GHz */
    }
    CHECK(CANARY_ADDITIONS % CANARY_CHAINS == 0);
    CHECK(!canary_is_disturbed(100000, 100000) && !canary_is_disturbed(102999, 100000));
    CHECK(canary_is_disturbed(103001, 100000) && !canary_is_disturbed(99000, 100000));
    return failures != 0;
}
