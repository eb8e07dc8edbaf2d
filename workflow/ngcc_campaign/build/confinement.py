"""What a compiler may do while it reads a submission's sources: layers that the kernel gives without root.

Landlock (Linux 5.13; by its system calls, include/uapi/linux/landlock.h) lets the compiler and all that it starts read
the system's programs, headers and libraries and the staged sources, write to the build's own folder, and nothing else.
Resource limits bound each process; a network namespace takes the network away.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..common.errors import Mistake

MODES = ("best", "require")
# What every program needs. Landlock judges a file by where it lies, whatever links lead there.
SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/alternatives"),
)
MEMORY_BYTES = 2 << 30  # of address space, a process
FILE_BYTES = 256 << 20
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
# The same numbers on every architecture that is measured.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
# Rights on files, LANDLOCK_ACCESS_FS_*.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_DIR, _MAKE_REG, _REFER, _TRUNCATE = 1 << 7, 1 << 8, 1 << 13, 1 << 14
_READ = _READ_FILE | _READ_DIR
# No links, so that what is fetched from the folder later is a file of that folder; no devices, no sockets.
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_ON_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
# How many rights on files each ABI knows, from ABI 1 on; then TCP (bind, connect), then abstract sockets and signals.
_RIGHTS = (13, 14, 15, 15, 16)
_TCP, _TCP_ABI, _SCOPES, _SCOPES_ABI = 0b11, 4, 0b11, 6
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 24, 38
_CAP_DAC_OVERRIDE = 1  # all that root keeps: access to files, which Landlock narrows


@dataclass(frozen=True)
class Folders:
    """Where confined programs read and execute (beside SYSTEM), only read, and write; what is absent is left out."""

    programs: tuple[Path, ...]
    reads: tuple[Path, ...]
    writes: tuple[Path, ...]


def layers(mode: str) -> dict:
    """The layers that this host gives: mode, landlock (its ABI, 0 without), limits and namespaces (in force or not).

    Raises Mistake where `mode` is require and one is missing.
    """
    found = {"mode": mode, "landlock": _landlock_abi(), "limits": True, "namespaces": _has_namespaces()}
    missing = [name for name in ("landlock", "namespaces") if not found[name]]
    if mode == "require" and missing:
        lacking = " and no ".join(missing)
        raise Mistake(f"sandbox=require: this host has no {lacking} for the compiler; set sandbox=best to go without.")
    return found


@contextmanager
def confined(sandbox: dict, folders: Folders, cpu_seconds: int) -> Iterator[Callable[[], None]]:
    """A function for the child to call between fork and exec, after which it has the layers of `sandbox`.

    It raises OSError where one of them fails.
    """
    ruleset = _ruleset(sandbox["landlock"], folders) if sandbox["landlock"] else None

    def enter() -> None:
        if sandbox["namespaces"]:
            _leave_network()
        _drop_capabilities()
        _limit(cpu_seconds)
        _call(_LIBC.prctl, _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if ruleset is not None:
            _call(_LIBC.syscall, _RESTRICT_SELF, ruleset, 0)

    try:
        yield enter
    finally:
        if ruleset is not None:
            os.close(ruleset)


def _ruleset(abi: int, folders: Folders) -> int:
    """The descriptor of a ruleset that forbids all that `abi` knows but what `folders` and SYSTEM allow."""
    rights = (1 << _RIGHTS[min(abi, len(_RIGHTS)) - 1]) - 1
    parts = [rights, *([_TCP] if abi >= _TCP_ABI else []), *([_SCOPES] if abi >= _SCOPES_ABI else [])]
    attributes = struct.pack(f"={len(parts)}Q", *parts)
    ruleset = _call(_LIBC.syscall, _CREATE_RULESET, attributes, len(attributes), 0)
    _allow(ruleset, rights & (_READ | _EXECUTE), [*map(Path, SYSTEM), *folders.programs])
    _allow(ruleset, rights & _READ, folders.reads)
    _allow(ruleset, rights & _WRITE, folders.writes)
    _allow(ruleset, rights & _WRITE, [Path(os.devnull)])
    return ruleset


def _allow(ruleset: int, rights: int, paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            allowed = rights if os.path.isdir(path) else rights & _ON_A_FILE
            _call(_LIBC.syscall, _ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
        finally:
            os.close(place)


def _landlock_abi() -> int:
    return max(0, _LIBC.syscall(_CREATE_RULESET, None, 0, _VERSION))


def _has_namespaces() -> bool:
    """Whether a process may have a network of its own; tried in a child."""
    child = os.fork()
    if child == 0:
        try:
            _leave_network()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _leave_network() -> None:
    """Enter a network namespace without any interface; who is not root needs a user namespace for it.

    Root goes without, where it would lose the right to read what is other users'.
    """
    _call(_LIBC.unshare, _NEW_NETWORK if os.geteuid() == 0 else _NEW_NETWORK | _NEW_USER)


def _drop_capabilities() -> None:
    """What root starts has no power over the system; no matter for anybody else."""
    if os.geteuid() == 0:
        for capability in set(range(64)) - {_CAP_DAC_OVERRIDE}:
            _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def _limit(cpu_seconds: int) -> None:
    """Bound memory, files and CPU time of each process; a lower limit stays.

    Not how many processes: that limit counts all of the user's.
    """
    bounds = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_CORE: 0,
    }
    for limit, most in bounds.items():
        soft, hard = (most if now == resource.RLIM_INFINITY else min(most, now) for now in resource.getrlimit(limit))
        resource.setrlimit(limit, (soft, hard))


def _call(function: Callable[..., int], *arguments: object) -> int:
    result = function(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def beyond_system(paths: Iterable[Path], private: Iterable[Path]) -> tuple[Path, ...]:
    """Of folders and files that programs need, resolved, those that lie in no folder of SYSTEM.

    A folder that holds one of `private` (a home, results) is left out; a file in such a folder is not.
    """
    kept_back, system = ([Path(path).resolve() for path in each] for each in (private, SYSTEM))
    found = dict.fromkeys(path.resolve() for path in paths)
    return tuple(
        path
        for path in found
        if not any(path.is_relative_to(folder) for folder in system)
        and not any(one.is_relative_to(path) for one in kept_back)
    )
