/* Outcome and reason, from what a process left behind and how it ended. */
#include <signal.h>

#include "check.h"
#include "progress.h"

static void expect(struct progress progress, struct child_outcome end, enum outcome outcome, const char *reason)
{
    char found[200];
    CHECK(progress_judge(&progress, end, 1.5, "during call 3 of 4", found, sizeof found) == outcome);
    CHECK_TEXT(found, reason);
}

int main(void)
{
    struct child_outcome well = {CHILD_EXITED, 0, true, 0, 0}, late = {CHILD_TIMED_OUT, 0, true, 0, 0},
                         fault = {CHILD_SIGNALLED, SIGSEGV, true, 0, 0}, killed = {CHILD_SIGNALLED, SIGKILL, true, 0, 0};
    struct progress done = {.stage = STAGE_FINISHED}, calling = {.stage = STAGE_CALLING};
    struct progress loading = {.stage = STAGE_LOADING};
    struct progress wrong = {STAGE_CALLING, 2, OUTCOME_ERROR, "returned 7"};
    struct progress absent = {STAGE_LOADING, 0, OUTCOME_ERROR, "the library can't be loaded: absent"};
    struct progress spoilt = {.stage = STAGE_FINISHED, .outcome = 77}, zeroed = {.stage = STAGE_LOADING};
    struct progress forged = {STAGE_CALLING, 2, OUTCOME_KILLED, "no memory for the message"};

    expect(done, well, OUTCOME_DONE, "");
    expect(calling, well, OUTCOME_CRASH, "called exit(0) during call 3 of 4");
    expect(calling, fault, OUTCOME_CRASH, "signal 11 (SIGSEGV) during call 3 of 4");
    expect(loading, fault, OUTCOME_CRASH, "signal 11 (SIGSEGV) while the library was loaded");
    expect(calling, late, OUTCOME_TIMEOUT, "ran longer than 1.5 s, last during call 3 of 4");
    expect(loading, late, OUTCOME_TIMEOUT, "ran longer than 1.5 s, last while the library was loaded");
    expect(calling, killed, OUTCOME_KILLED, "killed from outside, as the kernel does where memory is short, during call 3 of 4");
    expect(wrong, well, OUTCOME_ERROR, "returned 7 during call 3 of 4");
    expect(wrong, fault, OUTCOME_ERROR, "returned 7 during call 3 of 4");
    expect(absent, well, OUTCOME_ERROR, "the library can't be loaded: absent");
    expect(spoilt, fault, OUTCOME_CRASH, "signal 11 (SIGSEGV) during call 3 of 4");
    expect(zeroed, well, OUTCOME_CRASH, "called exit(0) while the library was loaded");
    expect(forged, well, OUTCOME_CRASH, "called exit(0) during call 3 of 4");

    /* Before anything of the library ran, nothing is its doing. */
    expect(forged, (struct child_outcome){CHILD_EXITED, 0, false, 0, 0}, OUTCOME_KILLED, "no memory for the message");
    expect(loading, (struct child_outcome){CHILD_EXITED, 2, false, 0, 0}, OUTCOME_KILLED,
           "ended with status 2 before the library was loaded");
    expect(loading, (struct child_outcome){CHILD_EXITED, CHILD_NOT_EXECUTED, false, 0, 0}, OUTCOME_KILLED,
           "test_progress can't be run again");
    expect(loading, (struct child_outcome){CHILD_SIGNALLED, SIGSEGV, false, 0, 0}, OUTCOME_KILLED,
           "signal 11 (SIGSEGV) before the library was loaded");
    expect(loading, (struct child_outcome){CHILD_TIMED_OUT, 0, false, 0, 0}, OUTCOME_KILLED,
           "was not ready to load the library within 1.5 s");
    CHECK_TEXT(outcome_name(OUTCOME_KILLED), "KILLED");
    return failures != 0;
}
