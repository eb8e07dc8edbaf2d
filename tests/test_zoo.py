"""The zoo: libraries that do what no submission may, one trick each, and what becomes of each.

An animal is a file of tests/zoo that includes animal.h; its first line says what it tries. The tables below state the
verdict of ngcc_kat on all of them, and of ngcc_perf and ngcc_memory where the trick is about timing or memory.
"returned 9" is the word of an animal that got through: no verdict has it. That one of them is DONE means that its trick
came to nothing, or is none of the sandbox's business, as the comment says.

Asserted of each: outcome and reason, a driver that ended by itself with a document that is valid, a folder, a process
and a port that nobody touched, and no process that lives on. What a layer of the sandbox alone stops is not let out
where the host lacks that layer.
"""

from __future__ import annotations

import json
import platform
import re
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

import cages
from cages import Cage
from ngcc_campaign.common.schemas import validate

ZOO = Path(__file__).with_name("zoo")


class Verdict(NamedTuple):
    outcome: str  # DONE stands for MEASURED, too
    reason: str = ""  # a regular expression that finds it
    layers: tuple[str, ...] = ()  # of the sandbox, without all of which the verdict is another


SECCOMP = ("seccomp",)


def forbidden(*calls: str) -> Verdict:
    return Verdict("FORBIDDEN", f"^called ({'|'.join(calls)})\\b.*, which is forbidden", SECCOMP)


def refused(*layers: str) -> Verdict:
    """The kernel says no, by any of these layers, and the library goes on without."""
    return Verdict("DONE", "", layers)


CRASHES = {
    "follows_null": Verdict("CRASH", r"^signal 11 \(SIGSEGV\) during"),
    "divides_by_zero": Verdict("CRASH", r"^signal 8 \(SIGFPE\)"),
    "illegal_instruction": Verdict("CRASH", r"^signal 4 \(SIGILL\)"),
    "dumps_core": Verdict("CRASH", r"^signal 6 \(SIGABRT\)"),  # and no core file, as all that it would leave
    "recurses": Verdict("CRASH", r"^used up its stack of 256 MiB"),
    "huge_frame": Verdict("CRASH", r"^signal 11 \(SIGSEGV\)"),
    "exits": Verdict("CRASH", r"^called exit\(0\) during"),
    "exits_at_once": Verdict("CRASH", r"^called exit\(0\) during"),
    "exits_as_not_executed": Verdict("CRASH", r"^called exit\(127\) during"),
    "exits_in_constructor": Verdict("CRASH", r"^called exit\(0\) while the library was loaded"),
    "ends_its_thread": Verdict("CRASH", r"^called exit\(0\) during"),
    "jumps_out": Verdict("CRASH"),  # by which signal is chance
    "alignment_check": Verdict("CRASH", r"^signal 7 \(SIGBUS\)"),
}
NEVER_ENDS = {
    "spins": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "sleeps": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "waits_for_a_signal": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "blocks_signals": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "endless_output": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "endless_errors": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "spins_later": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "loops_at_exit": Verdict("TIMEOUT", "^ran longer than 1 s, last during"),
    "loops_in_constructor": Verdict("TIMEOUT", "^ran longer than 1 s, last while the library was loaded"),
}
WRONG_ANSWERS = {
    "writes_behind": Verdict("OVERFLOW", "^wrote behind its digest"),
    "writes_before": Verdict("OVERFLOW", "^wrote before its digest"),
    "writes_far_behind": Verdict("OVERFLOW", "^reached far behind its digest"),
    "writes_far_before": Verdict("OVERFLOW", "^reached far before its digest"),
    "writes_message": Verdict("CRASH", "^wrote to its message, which is read-only"),
    "reads_behind": Verdict("UNSTABLE", "^answered otherwise"),
    "uninitialised_stack": Verdict("UNSTABLE", "^answered otherwise"),
    "uninitialised_heap": Verdict("UNSTABLE", "^answered otherwise"),
    "by_process": Verdict("UNSTABLE", "^answered otherwise"),
    "by_call": Verdict("UNSTABLE", "^answered otherwise"),
    "by_address": Verdict("UNSTABLE", "^answered otherwise"),
    "by_time": Verdict("UNSTABLE", "^answered otherwise"),
    "by_chance": Verdict("UNSTABLE", "^answered otherwise"),
    "half_a_digest": Verdict("UNSTABLE", "^wrote only 16 of the digest's 32 bytes"),
    "fails_sometimes": Verdict("ERROR", r"^returned -7 during record 1000 \(999 bits\)"),
}
PROCESSES = {
    "fork_bomb": forbidden("clone", "fork"),
    "vfork_child": forbidden("vfork", "clone"),
    "raw_clone": forbidden("clone"),
    "clone3_process": refused("seccomp"),
    "daemon": forbidden("clone", "fork"),
    "spawns": forbidden("clone", "vfork"),
    "thread_stays": forbidden("clone"),
    "executes": forbidden("execve"),
    "executes_memory": forbidden("memfd_create", "execveat"),
    "leaves_its_group": forbidden("setsid"),
    "joins_another_group": forbidden("setpgid"),
    "adopts_orphans": forbidden("prctl"),
    "outlives_parent": forbidden("prctl"),
}
SIGNALS = {
    "kills_parent": forbidden("kill"),
    "kills_in_constructor": Verdict("FORBIDDEN", "^called kill, .* while the library was loaded", SECCOMP),
    "kills_group_of_parent": forbidden("kill"),
    "kills_own_group": forbidden("kill"),
    "kills_neighbour": forbidden("kill"),
    "kills_itself": forbidden("kill"),
    "raises_kill": forbidden("tgkill", "tkill"),
    "stops_parent": forbidden("kill"),
    "stops_itself": forbidden("tgkill", "tkill"),
    "queues_a_signal": forbidden("rt_sigqueueinfo"),
    "signals_a_thread": forbidden("tgkill"),
    "signals_by_descriptor": forbidden("pidfd_open"),
    "sets_an_alarm": forbidden("alarm", "setitimer"),
    "sets_a_timer": forbidden("setitimer"),
    "swallows_faults": forbidden("rt_sigaction"),
    "hides_its_overflow": forbidden("rt_sigaction"),
    "handles_sigsys": forbidden("rt_sigaction"),
    "handles_sigsys_past_libc": forbidden("rt_sigaction"),
    "blocks_sigsys": forbidden("socket"),
    "spoils_the_handler_s_stack": Verdict("CRASH", r"^signal 11 \(SIGSEGV\)", SECCOMP),
}
OTHERS = {
    "traces_parent": forbidden("ptrace"),
    "wants_to_be_traced": forbidden("ptrace"),
    "writes_parent_memory": forbidden("process_vm_writev"),
    "opens_parent_memory": refused("landlock", "namespaces"),
    "reads_parent_environment": refused("landlock", "namespaces"),
    "limits_parent": forbidden("prlimit64"),
    "lowers_parent": forbidden("setpriority"),
    "moves_parent": forbidden("sched_setaffinity"),
}
ITSELF = {
    "writes_own_memory": forbidden("openat"),
    "spares_itself": forbidden("openat"),
    "reads_own_maps": refused("landlock"),
    "raises_limits": forbidden("prlimit64", "setrlimit"),
    "wants_a_core_file": forbidden("prlimit64", "setrlimit"),
    "raises_priority": forbidden("setpriority"),
    "takes_realtime": forbidden("sched_setscheduler"),
    "moves_itself": forbidden("sched_setaffinity"),
}
MACHINE = {
    "becomes_root": forbidden("setuid"),
    "unshares": forbidden("unshare"),
    "changes_root": forbidden("chroot"),
    "mounts": forbidden("mount"),
    "reboots": forbidden("reboot"),
    "sets_the_clock": forbidden("clock_settime"),
    "names_the_host": forbidden("sethostname"),
    "loads_bpf": forbidden("bpf"),
    "adds_a_filter": forbidden("seccomp"),
    "opens_a_counter": forbidden("perf_event_open"),
    "reads_the_log": forbidden("syslog"),
    "keeps_a_key": forbidden("add_key"),
    "io_uring": forbidden("io_uring_setup"),
    "userfaultfd": forbidden("userfaultfd"),
    "shared_memory": forbidden("shmget"),
    "message_queue": forbidden("msgget"),
    "posix_queue": forbidden("mq_open"),
    "watches_files": forbidden("inotify_init1"),
    "old_system_call": Verdict("FORBIDDEN", "^made a system call that is forbidden", SECCOMP),
    "x32_system_call": Verdict("FORBIDDEN", "^made a system call that is forbidden", SECCOMP),
    "loses_thread_storage": refused("seccomp"),
}
NETWORK = {
    "connects": forbidden("socket"),
    "connects_in_constructor": Verdict("FORBIDDEN", "^called socket, .* while the library was loaded", SECCOMP),
    "connects_in_resolver": Verdict("FORBIDDEN", "^called socket, .* while the library was loaded", SECCOMP),
    "sends_a_datagram": forbidden("socket"),
    "socket_pair": forbidden("socketpair"),
}
FILES = {
    "unlinks": forbidden("unlink", "unlinkat"),
    "opens_for_writing": forbidden("openat"),
    "opens_and_truncates": forbidden("openat"),
    "opens_by_structure": refused("seccomp"),
    "creates": forbidden("openat"),
    "creates_in_memory": forbidden("openat"),
    "endless_file": forbidden("openat"),
    "renames": forbidden("rename", "renameat"),
    "links": forbidden("link", "linkat"),
    "makes_a_folder": forbidden("mkdir", "mkdirat"),
    "changes_mode": forbidden("chmod", "fchmodat"),
    "truncates": forbidden("truncate"),
    "sets_times": forbidden("utimensat"),
    "changes_folder": refused("seccomp"),
    "reads_home": refused("landlock"),
    "reads_passwd": refused("landlock"),
    "lists_folders": refused("landlock"),
    "loads_other_library": refused("landlock"),
}
MEMORY = {
    "maps_a_tebibyte": refused("limits"),
    "takes_all_memory": Verdict("CRASH", r"^signal 6 \(SIGABRT\)", ("limits",)),
    "merges_memory": refused("seccomp"),
    "leaks": Verdict("DONE"),  # it ends with its process
    "locks_memory": forbidden("mlockall"),
    "writable_code": forbidden("mmap"),
    "makes_code_writable": forbidden("mprotect"),
    "code_in_two_steps": forbidden("mprotect"),
    "executable_stack": forbidden("mprotect"),
}
TO_NO_AVAIL = {
    "prints": Verdict("DONE"),
    "reads_input": Verdict("DONE"),
    "closes_descriptors": Verdict("DONE"),
    "writes_to_descriptors": Verdict("DONE"),
    "defines_libc_names": Verdict("DONE"),  # nobody but itself calls them
    "loads_system_library": Verdict("DONE"),  # allowed
    "loops_in_destructor": Verdict("DONE"),  # the process ends without
    "rounds_upward": Verdict("DONE"),  # the figures are another process's
    "full_fpu": Verdict("DONE"),
    "direction_flag": Verdict("CRASH"),  # of whatever next copies more than a few bytes
    "skips_calls": Verdict("DONE"),  # found when it is timed
    "only_when_timed": Verdict("DONE"),  # found by its verdict, in test_answers.py
    "sees_that_files_exist": Verdict("DONE"),  # not prevented
    "tells_the_host": Verdict("DONE"),  # not prevented
    "by_environment": Verdict("DONE"),  # it finds none
    "forges_its_outcome": Verdict("CRASH", r"^called exit\(0\)"),
    "invents_its_reason": Verdict("ERROR", r'^"\}\],\n<script>'),  # its own verdict, in its own words
    "forges_its_end": Verdict("DONE"),  # with a digest of answers that it never gave
}
KAT = (
    CRASHES | NEVER_ENDS | WRONG_ANSWERS | PROCESSES | SIGNALS | OTHERS | ITSELF | MACHINE | NETWORK | FILES | MEMORY
) | TO_NO_AVAIL
# ngcc_perf and ngcc_memory on some of them, where theirs is the same verdict in other words, or another.
PERF = {
    "spins_later": Verdict("TIMEOUT", "^ran longer than 10 s, last during trial 1"),
    "recurses": KAT["recurses"],
    "exits": KAT["exits"],
    "alignment_check": KAT["alignment_check"],
    "writes_behind": KAT["writes_behind"],
    "writes_far_before": KAT["writes_far_before"],
    "fails_sometimes": Verdict("ERROR", r"^did not return 0 \(ORed: -7\)"),
    "by_call": Verdict("UNSTABLE", "^gave two digests for one message"),
    "by_process": Verdict("UNSTABLE", "^gave another digest in another process"),
    "skips_calls": Verdict("ERROR", "^changed its caller's count of calls during calibration"),
    "fork_bomb": KAT["fork_bomb"],
    "thread_stays": KAT["thread_stays"],
    "kills_parent": KAT["kills_parent"],
    "stops_parent": KAT["stops_parent"],
    "kills_in_constructor": KAT["kills_in_constructor"],
    "sets_a_timer": KAT["sets_a_timer"],
    "lowers_parent": KAT["lowers_parent"],
    "takes_realtime": KAT["takes_realtime"],
    "moves_itself": KAT["moves_itself"],
    "opens_a_counter": KAT["opens_a_counter"],
    "connects": KAT["connects"],
    "unlinks": KAT["unlinks"],
    "reads_home": KAT["reads_home"],
    "maps_a_tebibyte": KAT["maps_a_tebibyte"],
    "leaks": KAT["leaks"],
    "prints": KAT["prints"],
    "closes_descriptors": Verdict("ERROR", "^closed or filled the pipe for figures"),
    "forges_its_outcome": KAT["forges_its_outcome"],
    "forges_its_end": Verdict("ERROR", "^its report during calibration cannot be read"),
    "invents_its_reason": KAT["invents_its_reason"],
    "defines_libc_names": KAT["defines_libc_names"],
    "loops_in_destructor": KAT["loops_in_destructor"],
    "rounds_upward": KAT["rounds_upward"],
    "full_fpu": KAT["full_fpu"],
    "only_when_timed": KAT["only_when_timed"],
}
MEMORY_RUN = {
    "recurses": KAT["recurses"],
    "huge_frame": KAT["huge_frame"],
    "exits": KAT["exits"],
    "spins": KAT["spins"],
    "thread_stays": KAT["thread_stays"],
    "kills_parent": KAT["kills_parent"],
    "kills_in_constructor": KAT["kills_in_constructor"],
    "raises_limits": KAT["raises_limits"],
    "unlinks": KAT["unlinks"],
    "locks_memory": KAT["locks_memory"],
    "maps_a_tebibyte": KAT["maps_a_tebibyte"],
    "takes_all_memory": KAT["takes_all_memory"],
    "leaks": KAT["leaks"],
    "closes_descriptors": Verdict(
        "ERROR", "^its resident set could not be read: library code took away", ("landlock",)
    ),
    "forges_its_outcome": KAT["forges_its_outcome"],
    "forges_its_end": Verdict("ERROR", "^its resident set could not be read: library code took away"),
    "invents_its_reason": KAT["invents_its_reason"],
    "defines_libc_names": KAT["defines_libc_names"],
}
VERDICTS = {"kat": KAT, "perf": PERF, "memory": MEMORY_RUN}
CASES = [(driver, name) for driver, verdicts in VERDICTS.items() for name in verdicts]
# Tricks of this processor's instructions or numbers.
X86 = {"alignment_check", "direction_flag", "full_fpu", "rounds_upward", "old_system_call", "x32_system_call"}
X86 |= {"connects_in_resolver", "loses_thread_storage", "divides_by_zero", "illegal_instruction"}


@pytest.fixture(scope="module")
def neighbour():
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


@pytest.fixture(scope="module")
def orphans(neighbour):
    """orphans() lists the processes that outlived their driver."""
    with cages.adopting() as children:
        before = children()
        yield lambda: children() - before


@pytest.fixture(scope="module")
def sandbox(native, zoo) -> dict:
    """Which layers this host gives, as a run on a harmless library tells."""
    command = cages.command(native, "kat", zoo("prints", "-w"), 60)
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["sandbox"]


def lacks(sandbox: dict, driver: str, name: str) -> str:
    """Why an animal is not let out here, "" where it is."""
    layers = VERDICTS[driver][name].layers
    if name in X86 and platform.machine() != "x86_64":
        return "a trick of x86-64"
    there = not layers or any(sandbox[layer] for layer in layers)
    return "" if there else f"this host lacks the sandbox's layer {' and '.join(layers)}"


@pytest.fixture(scope="module")
def visits(request, native, zoo, tmp_path_factory, sandbox, neighbour, port, orphans):
    """By driver and name, the runs that the chosen tests ask for: several at a time, since many of them wait."""
    folder = tmp_path_factory.mktemp("cages")

    def visit(driver: str, name: str) -> cages.Visit:
        cage = Cage(folder / f"{driver}-{name}", neighbour.pid, port.getsockname()[1])
        seconds = 1 if VERDICTS[driver][name].outcome == "TIMEOUT" else 60
        library = zoo(name, "-w", *cage.macros)
        return cage.visited(cages.command(native, driver, library, seconds), library)

    tests = [item.callspec.params for item in request.session.items if "test_zoo.py::test_verdict[" in item.nodeid]
    cases = [(test["driver"], test["name"]) for test in tests if not lacks(sandbox, test["driver"], test["name"])]
    with ThreadPoolExecutor(4) as pool:
        yield {case: pool.submit(visit, *case) for case in cases}


@pytest.mark.parametrize(("driver", "name"), CASES, ids=map("-".join, CASES))
def test_verdict(visits, sandbox, neighbour, port, driver, name):
    if lacks(sandbox, driver, name):
        pytest.skip(lacks(sandbox, driver, name))
    expected, visit = VERDICTS[driver][name], visits[driver, name].result()
    assert (visit.status, visit.error) == (0, ""), "the driver ended otherwise than by itself"
    document = json.loads(visit.output)
    validate(document, cages.SCHEMAS[driver], name)
    assert document["sandbox"] == sandbox
    outcome, reason = cages.judged(driver, document)
    assert outcome == expected.outcome and re.search(expected.reason, reason), reason
    assert (reason == "") == (outcome == "DONE")
    assert not visit.touched
    assert neighbour.poll() is None
    with pytest.raises(BlockingIOError):
        port.accept()


@pytest.mark.parametrize("name", [name for name, told in KAT.items() if told.outcome == "DONE" and told.layers])
def test_what_is_refused_gets_through_without_the_sandbox(native, zoo, tmp_path, sandbox, name):
    """Else its verdict would say nothing of the sandbox."""
    if name in X86 and platform.machine() != "x86_64":
        pytest.skip("a trick of x86-64")
    cage = Cage(tmp_path / "cage", 0, 0)
    library = zoo(name, "-w", *cage.macros)
    visit = cage.visited([*cages.command(native, "kat", library, 60), "--sandbox", "off"], library)
    assert cages.judged("kat", json.loads(visit.output))[0] != "DONE"


def test_no_process_lives_on(visits, orphans):
    for visit in visits.values():
        visit.result()
    assert orphans() == set()


@pytest.mark.parametrize("driver", VERDICTS)
def test_an_animal_dies_with_its_driver(native, zoo, orphans, driver):
    """Killed, a driver can't kill: the kernel does, in whichever namespace."""
    with subprocess.Popen(cages.command(native, driver, zoo("spins"), 60), stdout=subprocess.DEVNULL) as process:
        child = cages.child_that_computes(process.pid)
        process.kill()
    assert cages.has_ended(child)


def test_every_animal_has_a_verdict():
    animals = {path.stem for path in ZOO.glob("*.c") if re.search(r'#include "(animal|shared)\.h"', path.read_text())}
    assert animals == KAT.keys()
    assert all(verdicts.keys() <= KAT.keys() for verdicts in VERDICTS.values())
