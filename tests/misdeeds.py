"""What a library can do against those that run it: C statements for DEED of tests/zoo."""

from __future__ import annotations

from pathlib import Path

# Options of the drivers where a deed has to happen: the sandbox would forbid it.
FREE = ("--sandbox", "off")


def overwrite_shared(word: int) -> str:
    """Fill all memory shared with other processes with one number, and exit as if all were well."""
    return (
        'FILE *maps = fopen("/proc/self/maps", "r"); char line[999]; unsigned long from, to;'
        "while (fgets(line, sizeof line, maps))"
        ' if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &from, &to) == 2)'
        f" for (int *at = (int *)from; at < (int *)to; at++) *at = {word};"
        "_exit(0)"
    )


def leave_a_daemon(pids: Path) -> str:
    """In a process's first call, start one that belongs to nobody and takes a core; its number goes to a file. Waits
    until the file holds one."""
    return (
        "static int started; if (!started++) {"
        " if (!fork()) { setsid(); if (fork()) _exit(0);"
        f' dprintf(open("{pids}", O_CREAT | O_APPEND | O_WRONLY, 0600), "%d\\n", getpid()); for (alarm(100);;); }}'
        f' int file; off_t size; do {{ file = open("{pids}", O_CREAT | O_RDONLY, 0600);'
        " size = lseek(file, 0, SEEK_END); close(file); } while (size <= 0); }"
    )


def lives(pid: str) -> bool:
    """A zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
