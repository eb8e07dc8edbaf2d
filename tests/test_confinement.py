"""The compiler is confined: what hostile sources ask of it, and what it then says."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ngcc_campaign.build import compiler, confinement
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.processes import run
from submissions import built

HASH = """int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)
{ (void)bits; (void)msg; (void)length; digest[0] = 1; return 0; }
"""
SECRET = "words that nobody else may read"
LAYERS = confinement.layers("best")
landlock = pytest.mark.skipif(not LAYERS["landlock"], reason="this kernel has no Landlock")


@pytest.fixture
def attempt(tmp_path, monkeypatch):
    """attempt(text) builds a source with `text` after its function, as the guide has it; the variant of build.json."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compiler, "VARIANTS", {"guide": compiler.VARIANTS["guide"]})
    for place in ("home", "results/sources/other", "results/local/kat"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "secret.h").write_text(f"{SECRET}\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def attempted(text: str, **how) -> dict:
        text = text.replace("FOLDER", str(tmp_path))
        (variant,) = built(tmp_path, {"X-8/CryptHash.c": HASH + text}, **how)["variants"]
        log = (tmp_path / "results" / variant["log"]).read_text()
        assert SECRET not in log
        assert str(tmp_path / "results" / "build") not in log + variant["reason"]
        assert not variant.get("retry")
        return variant

    return attempted


DENIED = "Permission denied"
BOMB = "".join(f"#define B{n} B{n - 1}+B{n - 1}\n" for n in range(1, 40))
READS = {
    "a system file": ('#include "/etc/passwd"', f"src/CryptHash.c:3:10: fatal error: /etc/passwd: {DENIED}"),
    "climbing to it": (f'#include "{"../" * 30}etc/passwd"', f"/etc/passwd: {DENIED}"),
    "imported": ('#import "/etc/passwd"', f"/etc/passwd: {DENIED}"),
    "asked for": ('#if __has_include("/etc/passwd")\n#endif', f"/etc/passwd: {DENIED}"),
    "as a dependency": ('#pragma GCC dependency "/etc/passwd"', f"/etc/passwd: {DENIED}"),
    "assembled": ('__asm__(".incbin \\"/etc/passwd\\"");', "Error: file not found: /etc/passwd"),
    "included in assembly": ('__asm__(".include \\"/etc/passwd\\"");', f"can't open /etc/passwd for reading: {DENIED}"),
    "the environment": ('__asm__(".incbin \\"/proc/self/environ\\"");', "file not found: /proc/self/environ"),
    "without end": ('#include "/dev/zero"', f"/dev/zero: {DENIED}"),
    "the home": ('#include "FOLDER/home/secret.h"', f"home/secret.h: {DENIED}"),
    "another candidate": ('#include "FOLDER/results/sources/other/secret.h"', f"other/secret.h: {DENIED}"),
    "results": ('#include "FOLDER/results/local/kat/secret.h"', f"kat/secret.h: {DENIED}"),
    "its own archive": ('#include "FOLDER/tree/X-8/CryptHash.c"', f"tree/X-8/CryptHash.c: {DENIED}"),
}


@landlock
@pytest.mark.parametrize(("text", "reason"), READS.values(), ids=READS)
def test_what_sources_may_not_read_is_named(attempt, text, reason):
    variant = attempt(f"{text}\n")
    assert not variant["built"]
    assert reason in variant["reason"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('__asm__(".data\\n.space 1<<40, 1");', "the compiler was stopped as it wrote more than 256 MiB to a file"),
        (f"#define B0 x\n{BOMB}int x; int bomb(void) {{ return B39; }}", "the compiler ran out of memory; it may"),
        ('#pragma GCC pch_preprocess "/etc/passwd"\n', "pch_preprocess"),
    ],
    ids=["file size", "macro bomb", "pragma"],
)  # fmt: skip
def test_what_sources_may_not_take_is_named(attempt, monkeypatch, text, reason):
    monkeypatch.setattr(confinement, "MEMORY_BYTES", 400 << 20)
    variant = attempt(f"{text}\n")
    assert not variant["built"]
    assert reason in variant["reason"]


def test_cpu_time_has_an_end(tmp_path):
    with confinement.confined(LAYERS, confinement.Folders((), (), ()), cpu_seconds=1) as enter:
        assert run(["sh", "-c", "while :; do :; done"], cwd=Path("/"), seconds=60, confine=enter).returncode < 0


def test_constructors_and_odd_sections_are_built(attempt):
    odd = '__attribute__((section(".interp"))) char path[] = "/etc/passwd";\n'
    assert attempt(odd + "__attribute__((constructor)) static void before(void) { for (;;) ; }\n")["built"]


def test_links_among_the_sources_lead_nowhere(attempt, tmp_path):
    (tmp_path / "tree" / "X-8").mkdir(parents=True)
    (tmp_path / "tree" / "X-8" / "passwd.h").symlink_to("/etc/passwd")
    assert attempt('#include "passwd.h"\n')["reason"].endswith("passwd.h: No such file or directory")


def test_a_name_is_no_cmake(attempt, tmp_path):
    folder = tmp_path / "tree" / "X-8" / "a]==] "
    folder.mkdir(parents=True)
    (folder / "x.h").write_text("")
    with pytest.raises(Mistake, match="a name that no build tool takes"):
        attempt("")


def test_a_source_that_speaks_of_a_full_disk_fills_none(attempt):
    assert "No space left on device" in attempt('#error "No space left on device"\n')["reason"]


@pytest.fixture
def inside(tmp_path):
    """inside(program) runs Python confined, and returns what it wrote."""

    def ran(program: str) -> str:
        (tmp_path / "open").mkdir(exist_ok=True)
        python = confinement.beyond_system(map(Path, (sys.prefix, sys.base_prefix)), [Path.home()])
        with confinement.confined(LAYERS, confinement.Folders(python, (), (tmp_path / "open",)), 10) as enter:
            done = run([sys.executable, "-I", "-c", program], cwd=tmp_path, seconds=60, confine=enter)
        return (done.stdout + done.stderr).decode()

    return ran


@landlock
def test_nothing_outside_is_written_and_no_link_is_left(inside, tmp_path):
    assert "PermissionError" in inside("open('note', 'w')")
    assert "PermissionError" in inside("import os; os.symlink('/etc/passwd', 'open/link')")
    assert inside("open('open/note', 'w').write('x'); open('/dev/null', 'w')") == ""
    assert [path.name for path in (tmp_path / "open").iterdir()] == ["note"]


@pytest.mark.skipif(not (LAYERS["namespaces"] or LAYERS["landlock"] >= 4), reason="the network cannot be taken away")
def test_there_is_no_network(inside):
    with socket.create_server(("127.0.0.1", 0)) as server:
        told = inside(f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)")
    assert "PermissionError" in told or "OSError" in told or "unreachable" in told


@pytest.mark.skipif(LAYERS["landlock"] < 6, reason="Landlock knows no signals")
def test_nobody_else_is_signalled(inside):
    assert "PermissionError" in inside("import os; os.kill(os.getppid(), 0)")


@pytest.mark.skipif(os.geteuid() != 0, reason="for root")
def test_root_keeps_no_power_but_over_files(inside):
    program = "import ctypes; print([n for n in range(41) if ctypes.CDLL(None).prctl(23, n, 0, 0, 0) == 1])"
    assert inside(program) in ("[1]\n", "[]\n")


def test_layers_that_a_host_lacks_are_told_or_refused(attempt, tmp_path, monkeypatch):
    monkeypatch.setattr(confinement, "_landlock_abi", lambda: 0)
    monkeypatch.setattr(confinement, "_has_namespaces", lambda: False)
    document = built(tmp_path, {"X-8/CryptHash.c": HASH})
    assert document["sandbox"] == {"mode": "best", "landlock": 0, "limits": True, "namespaces": False}
    with pytest.raises(Mistake, match="sandbox=require: this host has no landlock and no namespaces"):
        built(tmp_path, {"X-8/CryptHash.c": HASH}, sandbox="require")


def test_a_sandbox_that_cannot_be_entered_starts_nothing(tmp_path):
    def refuse() -> None:
        raise OSError("no")

    with pytest.raises(Mistake, match="the sandbox could not be entered"):
        run(["touch", "here"], cwd=tmp_path, seconds=5, confine=refuse)
    assert not list(tmp_path.iterdir())


def installed(folder: Path) -> Path:
    """An installation of GCC below `folder`, with a driver and a compiler proper of its own."""
    told = subprocess.run(["gcc", "-print-search-dirs"], capture_output=True, text=True, check=True).stdout
    install = Path(told.partition("install: ")[2].partition("\n")[0])
    own = folder / "lib" / "gcc" / install.parent.name / install.name
    own.mkdir(parents=True)
    (folder / "bin").mkdir()
    shutil.copy(shutil.which("gcc"), folder / "bin" / "gcc")
    for file in install.iterdir():
        if file.name == "cc1":
            shutil.copy(file, own)
        else:
            (own / file.name).symlink_to(file)
    return folder / "bin" / "gcc"


def test_compilers_below_a_home_work(attempt, tmp_path):
    home = tmp_path / "home"
    gcc = installed(home / "tools" / "gcc")
    assert attempt("", compiler=str(gcc))["built"]
    (launcher := home / "launch").mkdir()
    for wrapper, started in ((home / "bin" / "cc", gcc), (launcher / "x", "gcc"), (home / "cc", f"{launcher}/x")):
        wrapper.parent.mkdir(exist_ok=True)
        wrapper.write_text(f'#!/bin/sh\nexec {started} "$@"\n')
        wrapper.chmod(0o755)
        assert attempt("", compiler=str(wrapper))["built"]
        assert not attempt('#include "FOLDER/home/secret.h"\n', compiler=str(wrapper))["built"]
