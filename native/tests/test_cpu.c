/* CPU lists in the kernel's form, the choice of a CPU, and hybrid processors by a stand-in for /sys. */
#include "cpu.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void lists_read_back(void)
{
    static const char *const lists[] = {"0",  "0-3,8-11,64", "63-64", "127-128", "0,2,4,6", "1-1", "8191", "3,1-2,2"};
    static const char *const written[] = {"0", "0-3,8-11,64", "63-64", "127-128", "0,2,4,6", "1", "8191", "1-3"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct cpu_list list;
        char text[256];
        CHECK(cpu_list_parse(lists[i], &list));
        cpu_list_format(&list, text, sizeof text);
        CHECK_TEXT(text, written[i]);
    }
    static const char *const wrong[] = {"", "-1", "1-", "a", "1,,2", "1 2", "8192", "99999999999999999999", "1,"};
    struct cpu_list list;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!cpu_list_parse(wrong[i], &list));
}

/* Against brute force: any set of CPUs around the edges of words. */
static void membership(void)
{
    unsigned seed = 1;
    for (int round = 0; round < 50; round++) {
        bool wanted[200];
        char text[2048] = "", again[2048];
        for (int cpu = 0; cpu < 200; cpu++) {
            seed = seed * 1103515245 + 12345;
            wanted[cpu] = (seed >> 16) % 3 != 0;
            if (wanted[cpu])
                sprintf(text + strlen(text), "%s%d", text[0] ? "," : "", cpu);
        }
        struct cpu_list list;
        CHECK(cpu_list_parse(text, &list));
        cpu_list_format(&list, again, sizeof again);
        CHECK(cpu_list_parse(again, &list));
        for (int cpu = 0; cpu < 200; cpu++)
            CHECK(cpu_list_has(&list, cpu) == wanted[cpu]);
        CHECK(!cpu_list_has(&list, -1) && !cpu_list_has(&list, CPU_LIMIT));
    }
}

static void put(const char *root, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (text == NULL) {
        mkdir(path, 0755);
        return;
    }
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void hybrid_processors(void)
{
    char root[] = "/tmp/ngcc_test_cpu.XXXXXX";
    struct cpu_list all, slow_only, holes;
    CHECK(mkdtemp(root) != NULL);
    cpu_list_parse("0-19", &all);
    cpu_list_parse("16-19", &slow_only);
    cpu_list_parse("0,2,4,6", &holes);
    CHECK(cpu_choose(&all, root) == 19 && cpu_choose(&holes, root) == 6); /* all cores alike */
    CHECK(cpu_pmu_type(3, root) == 0);

    put(root, "devices", NULL);
    put(root, "devices/cpu_core", NULL);
    put(root, "devices/cpu_atom", NULL);
    put(root, "devices/cpu_core/cpus", "0-15\n");
    put(root, "devices/cpu_core/type", "4\n");
    put(root, "devices/cpu_atom/cpus", "16-19\n");
    put(root, "devices/cpu_atom/type", "10\n");
    CHECK(cpu_choose(&all, root) == 15);
    CHECK(cpu_choose(&slow_only, root) == 19);
    CHECK(cpu_pmu_type(3, root) == 4 && cpu_pmu_type(17, root) == 10 && cpu_pmu_type(20, root) == 0);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
}

/* As kernels on x86-64 and AArch64 print it. */
static void models(void)
{
    char root[] = "/tmp/ngcc_test_cpu.XXXXXX", path[64], model[32], command[64];
    CHECK(mkdtemp(root) != NULL);
    put(root, "x86", "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Slow\n\nprocessor\t: 1\nmodel name\t: Fast one\n");
    put(root, "arm", "processor\t: 0\nCPU implementer\t: 0x48\nCPU part\t: 0xd01\n");
    snprintf(path, sizeof path, "%s/x86", root);
    cpu_model(0, path, model, sizeof model);
    CHECK_TEXT(model, "Slow");
    cpu_model(1, path, model, sizeof model);
    CHECK_TEXT(model, "Fast one");
    cpu_model(2, path, model, sizeof model);
    CHECK_TEXT(model, "");
    snprintf(path, sizeof path, "%s/arm", root);
    cpu_model(0, path, model, sizeof model);
    CHECK_TEXT(model, "0xd01");
    cpu_model(0, "/none", model, sizeof model);
    CHECK_TEXT(model, "");
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
}

static void halves(void)
{
    static const char *const cases[][3] = {
        {"0-3", "0-1", "2-3"}, {"1,4,9", "1", "4,9"}, {"0,7", "0", "7"}, {"5", "5", "5"}, {"0-8191", "0-4095", "4096-8191"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu_list list;
        char text[64];
        CHECK(cpu_list_parse(cases[i][0], &list));
        for (int upper = 0; upper < 2; upper++) {
            struct cpu_list half = cpu_half(&list, upper);
            cpu_list_format(&half, text, sizeof text);
            CHECK_TEXT(text, cases[i][1 + upper]);
        }
    }
}

static void this_machine(void)
{
    struct cpu_list allowed, after;
    CHECK(cpu_allowed(&allowed) >= 0);
    int cpu = cpu_choose(&allowed, "/sys");
    CHECK(cpu_list_has(&allowed, cpu));
    CHECK(!cpu_pin(CPU_LIMIT - 1));
    CHECK(cpu_pin(cpu) && cpu_allowed(&after) >= 0 && cpu_choose(&after, "/none") == cpu);
    cpu_restrict(&allowed);
    CHECK(cpu_allowed(&after) >= 0 && memcmp(&after, &allowed, sizeof after) == 0);
}

/* In the place of libc's: a driver that dies before it could change a file's mode. */
int fchmod(int file, mode_t mode)
{
    (void)file;
    (void)mode;
    return 0;
}

/* Whatever the umask of whoever makes the lock's file, other users can lock it too. */
static void a_lock_is_everybody_s(void)
{
    char path[128];
    struct stat status;
    int cpu = CPU_LIMIT + (int)getpid(); /* no CPU's number */
    mode_t before = umask(077);
    CHECK(cpu_lock(cpu, path, sizeof path) == 0);
    CHECK(umask(before) == 077);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644);
    CHECK(unlink(path) == 0);
}

int main(void)
{
    lists_read_back();
    membership();
    hybrid_processors();
    models();
    halves();
    this_machine();
    a_lock_is_everybody_s();
    return failures != 0;
}
