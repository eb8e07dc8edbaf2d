"""Which library comes of the sources, by which commands?

One CMake project of ours (native/candidate) builds every instance, from copies of the files that the instance needs;
a submission's own build files are never read. Both variants of options are built, so that the verify stage can fall
back on the second. All that reads those copies, compiler, assembler and linker, is confined (see confinement).
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..campaign.catalog import Instance, instance_sources, tree_names
from ..common.errors import Mistake
from ..common.files import read_json, sha256_file, utc_now, workplace, write_json
from ..common.processes import Completed, run
from ..common.root import NATIVE
from ..common.schemas import validate
from ..fetch.includes import included_in, needed_files
from ..memory.elf import BadLibrary
from . import compiler, confinement, libcnames

PROJECT = NATIVE / "candidate"
# A variant whose compilation takes longer is stopped.
SECONDS = 900
# A disk that is full, and a tool that somebody killed, are no faults of the sources.
SPACE = re.compile(r"No space left on device|Disk quota exceeded|terminated with signal 7")
# What breaks a compiler is one, however often it is tried. Ninja keeps no status of a tool; a line of the tool's own,
# which no diagnostic of a source is, says what ended it.
KILLED = re.compile(
    r"^[\w.+-]+: (?:fatal |internal compiler |)error: "
    r"(?:(?:unable to execute command: )?(?:Killed|Terminated)\b|\S+ terminated with signal (?:9|15)\b)",
    re.MULTILINE,
)
SILENT = "the compiler ended without a word"
# What the limits of the sandbox stop, by the tools' words.
LIMITS = {
    r"CPU time limit exceeded": f"the compiler was stopped after {SECONDS} s of CPU time",
    r"File size limit exceeded|File too large": "the compiler was stopped as it wrote more than"
    f" {confinement.FILE_BYTES >> 20} MiB to a file",
    r"out of memory allocating|memory exhausted|[Cc]annot allocate memory": "the compiler ran out of memory;"
    f" it may take {confinement.MEMORY_BYTES >> 30} GiB",
}
# What CMake or Ninja would read as something other than a name.
UNUSABLE_PATH = re.compile(r'[;\\"\n]')
UNUSABLE = re.compile(r'[;$\\"\x00-\x1f\x7f]|]=')


@dataclass(frozen=True)
class _Tools:
    """The build tools of one instance, and where they work; everything that they read is a stranger's."""

    part: Path
    cmake: str
    compiler: str
    confine: Callable[[], None]

    def run(self, command: list[str], seconds: float = SECONDS) -> Completed:
        """Run a command confined; with a private folder for temporary files, and no cache that others fill."""
        temporary = str((self.part / "tmp").resolve())
        env = {"TMPDIR": temporary, "CCACHE_DISABLE": "1", "CCACHE_DIR": temporary}
        return run(command, cwd=Path.cwd(), seconds=seconds, env=env, confine=self.confine)


def build(
    instance: Instance,
    *,
    sources: Path,
    fetched: Path,
    compiler_command: str,
    output: Path,
    made_from: dict[str, str],
    sandbox: str = "best",
) -> dict:
    """Build both variants of an instance and write `output`, build/<candidate>/<instance>/build.json.

    `sources` is the root of the submission's files, `fetched` the fetch stage's document, which says whether they are
    there. The libraries stand beside `output`, in a folder for each variant, and replace earlier ones as a whole.
    `sandbox` is best, or require: then a layer of the sandbox that this host does not give is a Mistake.
    A variant that does not build is data, with its reason; Mistake is raised for what a person can put right.
    """
    fetch = read_json(fetched)
    cmake, root, version = _cmake()
    layers = confinement.layers(sandbox)
    document = {
        "schema": "ngcc-perf/build",
        "version": 2,
        "retry": bool(fetch.get("retry")),
        "reason": "" if fetch["outcome"] == "FETCHED" else f"sources not fetched: {fetch['reason']}",
        "made_from": made_from,
        "candidate": instance.candidate,
        "instance": instance.name,
        "digest_bits": instance.digest_bits,
        "compiler": compiler.find_compiler(compiler_command),
        "cmake": f"cmake version {version}",
        "sandbox": layers,
        "started_utc": utc_now(),
    }
    part = workplace(output.parent)
    files, variants = [], []
    if fetch["outcome"] == "FETCHED":
        _check_unchanged(fetch, instance, sources)
        files = _stage(instance, sources, part / "src")
        with confinement.confined(layers, _folders(part, compiler_command, [cmake, root]), SECONDS) as confine:
            tools = _Tools(part, cmake, compiler_command, confine)
            _configure(instance, files, tools)
            variants = [_build_variant(flags, instance, tools) for flags in compiler.VARIANTS]
    document |= {"ended_utc": utc_now(), "sources": files, "variants": variants}
    killed = [variant.pop("retry") for variant in variants]
    if any(killed):
        document |= {"retry": True, "reason": "the compiler was killed"}
    _publish(part, output, document)
    return document


def _check_unchanged(fetch: dict, instance: Instance, sources: Path) -> None:
    """Unpacked files must still be the submitted ones; a folder used in place may be edited."""
    if fetch["archive"]["kind"] == "directory":
        return
    digests = {entry["file"]: entry["sha256"] for entry in fetch["files"]}
    for name in needed_files(instance, list(digests), included_in(sources)):
        if not (sources / name).is_file() or sha256_file(sources / name) != digests[name]:
            raise Mistake(
                f"{sources / name}: not the submitted file any more; delete the folder {sources} and run again."
            )


def _stage(instance: Instance, sources: Path, stage: Path) -> list[dict]:
    """Copy what the instance needs to a folder of its own, where nothing else of the submission can be included.

    The folders that all files share are left out, so that odd names above the instance reach no build tool.
    """
    names = needed_files(instance, tree_names(sources), included_in(sources))
    shared = posixpath.commonpath([posixpath.dirname(f"/{name}") for name in [*names, f"{instance.directory}/x"]])
    staged = []
    for name in names:
        short = posixpath.relpath(f"/{name}", shared)
        if UNUSABLE.search(short):
            raise Mistake(
                f'{instance.candidate}: {name!r}: a name that no build tool takes (one of ; $ \\ " or control).'
            )
        target = stage / short
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sources / name, target)
        staged.append({"file": name, "staged": short, "sha256": sha256_file(target)})
    return staged


def _folders(part: Path, compiler_command: str, cmake: list[str]) -> confinement.Folders:
    """What the tools may read and write; of their programs, all that lies in no folder with a person's own files."""
    for name in ("asked", "src", "cmake", "tmp"):
        (part / name).mkdir(exist_ok=True)
    programs = [*compiler.folders(compiler_command), Path(cmake[0]).parent, Path(cmake[1])]
    programs += [Path(shutil.which("ninja") or ""), Path(sys.prefix), Path(sys.base_prefix)]
    programs += [Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    return confinement.Folders(
        programs=confinement.beyond_system(programs, [Path.home(), Path.cwd(), part, tempfile.gettempdir()]),
        reads=(part / "src", part / "asked", PROJECT),
        writes=(part / "cmake", part / "tmp"),
    )


def _configure(instance: Instance, files: list[dict], tools: _Tools) -> None:
    """Tell the CMake project what to build, and let it make its build files."""
    part = tools.part
    stage = (part / "src").resolve()
    short = {entry["file"]: entry["staged"] for entry in files}
    compiled = [stage / short[name] for name in instance_sources(instance, list(short))]
    home = _home(instance, short)
    includes = [stage / home, *(stage / posixpath.normpath(f"{home}/{folder}") for folder in instance.include_dirs)]
    lists = {
        "sources": compiled,
        "include_dirs": includes,
        "definitions": instance.defines,
        "libraries": instance.libraries,
        "variants": list(compiler.VARIANTS),
    }
    for flags, options in compiler.VARIANTS.items():
        # No path of this machine in assert() texts: the same library from any folder.
        lists[f"options_{flags}"] = [*options, f"-ffile-prefix-map={stage}=.", *instance.cflags]
    lines = [f"set(instance [==[{instance.name}]==])"]
    for name, values in lists.items():
        lines += [f'set({name} "")', *(f"list(APPEND {name} [==[{value}]==])" for value in values)]
    asked = (part / "asked" / "instance.cmake").resolve()
    asked.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [tools.cmake, "-S", str(PROJECT), "-B", str(part / "cmake"), "-G", "Ninja"]
    command += [f"-DNGCC_INSTANCE={asked}", f"-DCMAKE_C_COMPILER={tools.compiler}"]
    # The compiler is known to work, and no options come from outside.
    command += ["-DCMAKE_C_COMPILER_FORCED=ON", "-DCMAKE_C_FLAGS=", "-DCMAKE_SHARED_LINKER_FLAGS="]
    completed = tools.run(command)
    if completed.returncode != 0:
        tail = completed.stderr.decode(errors="replace").strip().splitlines()[-5:]
        raise Mistake(f"{instance.candidate}: CMake failed for '{instance.name}': {' '.join(tail)}")


def _home(instance: Instance, short: dict[str, str]) -> str:
    """The instance's own directory inside the stage."""
    directory = posixpath.normpath(instance.directory)
    for name, staged in short.items():
        if name.startswith(f"{directory}/"):
            depth = name[len(directory) + 1 :].count("/") + 1
            return "/".join(staged.split("/")[:-depth]) or "."
    return "."


def _build_variant(flags: str, instance: Instance, tools: _Tools) -> dict:
    part = tools.part
    completed = tools.run([tools.cmake, "--build", str(part / "cmake"), "--target", flags, "--verbose"])
    log = _plain((completed.stdout + completed.stderr).decode(errors="replace"), part)
    (part / "out" / f"{flags}.log").write_text(log, encoding="utf-8")
    relative = Path("build", instance.candidate, instance.name)
    if SPACE.search(log) and shutil.disk_usage(part).free < confinement.FILE_BYTES:  # a source may say so too
        raise Mistake(f"{instance.candidate}/{instance.name}: no space left to build; free some and run again.")
    reason = _failure(completed, log)
    taken = {"library": None, "library_sha256": None, "libc_names": []}
    if not reason:
        try:
            taken = _take(flags, instance, tools)
        except BadLibrary as error:
            reason = f"what was linked is no library ({error})"
    return {
        "flags": flags,
        "options": [*compiler.VARIANTS[flags], *instance.cflags],
        "built": not reason,
        "retry": bool(reason) and not completed.timed_out and _is_killed(reason, log),
        "reason": reason,
        "commands": _commands(flags, tools),
        "warnings": len(re.findall(r"\bwarning: ", log)),
        "log": str(relative / f"{flags}.log"),
        **taken,
    }


def _take(flags: str, instance: Instance, tools: _Tools) -> dict:
    """Put a library that was linked among what is kept, and tell of it."""
    kept = tools.part / "out" / flags / f"lib{instance.name}.so"
    names = libcnames.defined_too(tools.part / "cmake" / flags / kept.name, libcnames.offered(tools.compiler))
    kept.parent.mkdir()
    shutil.copyfile(tools.part / "cmake" / flags / kept.name, kept)
    library = str(Path("build", instance.candidate, instance.name, flags, kept.name))
    return {"library": library, "library_sha256": sha256_file(kept), "libc_names": names}


def _failure(completed: Completed, log: str) -> str:
    """Why there is no library, in one sentence; empty where there is one."""
    if completed.timed_out:
        return f"the compiler was stopped after {SECONDS} s"
    if completed.returncode == 0:
        return ""
    if re.search(r"undefined (reference|symbol).*CryptHash\b|CryptHash'? .*not defined", log):
        return "no source defines the function CryptHash"
    if limit := _limit(log):
        return limit
    errors = [
        line for line in log.splitlines() if re.search(r"\b[Ee]rror\b: |undefined reference|Permission denied", line)
    ]
    return errors[0].strip()[:300] if errors else SILENT


def _is_killed(reason: str, log: str) -> bool:
    """Whether somebody ended a tool, or the kernel where memory is short; the compiler itself can't say so then."""
    return not _limit(log) and (reason == SILENT or bool(KILLED.search(log)))


def _limit(log: str) -> str:
    """Which limit of the sandbox stopped a tool, in one sentence; empty where none did."""
    return next((reason for words, reason in LIMITS.items() if re.search(words, log)), "")


def _commands(flags: str, tools: _Tools) -> list[str]:
    """The commands that make the variant, in names relative to its build folder: no path of this machine."""
    part = tools.part
    completed = tools.run(["ninja", "-C", str(part / "cmake"), "-t", "commands", flags], seconds=60)
    commands = completed.stdout.decode(errors="replace").removeprefix(": && ").replace("\n: && ", "\n")
    return [_plain(line.removesuffix(" && :").rstrip(), part) for line in commands.splitlines() if " -o " in line]


def _plain(text: str, part: Path) -> str:
    folders = {name: part / name for name in ("src", "cmake", "tmp")} | {"candidate": PROJECT}
    for name, folder in folders.items():
        path = str(folder.resolve())
        # CMake names object folders after the source's path, with spaces changed.
        for spelling in (path, path.replace(" ", "_")):
            text = text.replace(f".dir{spelling}", f".dir/{name}").replace(spelling, name)
    program, _, rest = text.partition(" ")
    return f"{os.path.basename(program)} {rest}" if program.startswith("/") else text


def _cmake() -> list[str]:
    """CMake's own program, the folder of its modules, and its version: the command may be a script that starts it."""
    completed = run(["cmake", "-P", str(PROJECT / "where.cmake")], cwd=Path.cwd(), seconds=60)
    told = completed.stderr.decode(errors="replace").splitlines()
    if len(told) != 3:
        raise Mistake(f"cmake: it does not say where it lies ({' '.join(told)[:300]}); install it again.")
    return told


def _publish(part: Path, output: Path, document: dict) -> None:
    """Put the whole folder in its place: libraries, logs and, last of all, the document that speaks of them."""
    validate(document, "build", output)
    write_json(part / "out" / output.name, document)
    shutil.rmtree(output.parent, ignore_errors=True)
    os.replace(part / "out", output.parent)
    shutil.rmtree(part)
