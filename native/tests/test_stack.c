/* A call's depth on the stack, from nothing to many pages. */
#include "check.h"
#include "stack.h"

static struct stack stack;
static const unsigned char *pointer;

static __attribute__((noinline)) void use(size_t bytes)
{
    volatile unsigned char frame[bytes + 1];
    frame[0] = frame[bytes] = 1;
}

static void call(void *bytes)
{
    pointer = stack_pointer();
    if (*(size_t *)bytes > 0)
        use(*(size_t *)bytes);
}

static void expect_depth_within_a_page(size_t bytes)
{
    CHECK(stack_make(&stack));
    stack_paint(&stack);
    stack_run(&stack, call, &bytes);
    CHECK(pointer <= stack.top && pointer > stack.top - 4096);
    CHECK(stack_lowest(&stack) <= pointer - bytes || bytes == 0);
    CHECK(stack_lowest(&stack) >= pointer - bytes - 4096);
}

int main(void)
{
    static const size_t depths[] = {0, 1, 100, 10000, 65000, 66000, 70000, 1 << 20, 200 << 20};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        expect_depth_within_a_page(depths[i]);
    return failures != 0;
}
