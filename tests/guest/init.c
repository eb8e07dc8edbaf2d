/* The first and only program of a small Linux in an emulated machine: runs /jobs in /results, writes the files that
 * /wanted names to the console, and switches the machine off.
 *
 *   /jobs    a line each: user number, file for standard output, the command's words
 *   /wanted  a line each: a pattern of paths, as a shell takes it
 *
 * On the console: "job STATUS"; "file PATH", its content in hexadecimal and "end"; "done". */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 64, BYTES_PER_LINE = 512 };

static void mount_all(void)
{
    static const char *const kinds[][2] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/tmp"}, {"devtmpfs", "/dev"}};
    for (int i = 0; i < 4; i++) {
        mkdir(kinds[i][1], 0755);
        if (mount(kinds[i][0], kinds[i][1], kinds[i][0], 0, NULL) != 0)
            perror(kinds[i][1]);
    }
}

static int split(char *line, char *words[MOST_WORDS])
{
    int count = 0;
    for (char *word = strtok(line, " \n"); word != NULL && count < MOST_WORDS - 1; word = strtok(NULL, " \n"))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static int run(char *words[])
{
    uid_t user = (uid_t)atoi(words[0]);
    pid_t child = fork();
    if (child == 0) {
        int output = open(words[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (output < 0 || dup2(output, 1) < 0 || chdir("/results") != 0 || (user != 0 && setuid(user) != 0))
            _exit(126);
        execv(words[2], words + 2);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void run_jobs(void)
{
    char line[4096], *words[MOST_WORDS];
    FILE *jobs = fopen("/jobs", "re");
    while (jobs != NULL && fgets(line, sizeof line, jobs) != NULL)
        printf("job %d\n", split(line, words) < 3 ? -1 : run(words));
}

static void show(const char *path)
{
    unsigned char bytes[BYTES_PER_LINE];
    struct stat status;
    int file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_NONBLOCK) : -1;
    if (file < 0)
        return;
    printf("file %s\n", path);
    for (ssize_t count; (count = read(file, bytes, sizeof bytes)) > 0;) {
        for (ssize_t i = 0; i < count; i++)
            printf("%02x", bytes[i]);
        printf("\n");
    }
    printf("end\n");
    close(file);
}

static void show_wanted(void)
{
    char line[4096], *words[MOST_WORDS];
    FILE *wanted = fopen("/wanted", "re");
    while (wanted != NULL && fgets(line, sizeof line, wanted) != NULL) {
        glob_t found;
        if (split(line, words) == 1 && glob(words[0], 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++)
                show(found.gl_pathv[i]);
            globfree(&found);
        }
    }
}

int main(void)
{
    mount_all();
    run_jobs();
    show_wanted();
    printf("done\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    return 1;
}
