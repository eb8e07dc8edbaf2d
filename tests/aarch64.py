"""AArch64 on another machine: what a test needs for it, and why there is none where there is not."""

from __future__ import annotations

import gzip
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ngcc_campaign.build.emulator import EMULATOR, PACKAGES
from ngcc_campaign.campaign.catalog import natural_order

COMPILER = "aarch64-linux-gnu-gcc"
LIBRARIES = Path(EMULATOR[2], "lib")
USER_TOOLS = (COMPILER, EMULATOR[0])
SYSTEM_TOOLS = (*USER_TOOLS, "qemu-system-aarch64", "cpio", "apt-get", "apt-cache", "dpkg-deb", "tar")
INIT = Path(__file__).parent / "guest" / "init.c"
KERNEL = re.compile(r"^(linux-image-6\.1\.0-\d+-cloud-arm64) ", re.MULTILINE)


def lacking(tools: Iterable[str]) -> str:
    """Why nothing can be emulated with `tools` here; empty where it can."""
    if platform.machine() == "aarch64":
        return "this machine is AArch64 itself"
    absent = [tool for tool in tools if not shutil.which(tool)]
    absent += [] if LIBRARIES.is_dir() else [str(LIBRARIES)]
    return f"not on this machine: {', '.join(absent)} (Debian: {PACKAGES} qemu-system-arm cpio)" if absent else ""


class NoKernel(Exception):
    """Why Debian's kernel can't be had."""


def debian_kernel() -> Path:
    """Debian's newest Linux 6.1 for AArch64 clouds, downloaded by apt as whoever we are, once. Raises NoKernel."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ngcc-perf" / "arm64"
    kept = sorted(cache.glob("vmlinuz-*"), key=lambda path: natural_order(path.name))
    return kept[-1] if kept else _download(cache)


def _download(cache: Path) -> Path:
    work = cache / "apt"
    (work / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    options = ["APT::Architecture=arm64", "APT::Architectures=arm64", "APT::Sandbox::User=root"]
    options += [f"Dir::State::Lists={work}/lists", "Dir::State::status=/dev/null", f"Dir::Cache={work}"]
    options += ["Acquire::Languages=none", "Acquire::Retries=1", "Acquire::http::Timeout=20"]
    options = [f"-o{option}" for option in options]
    _run(work, "apt-get", *options, "update")
    found = KERNEL.findall(_run(work, "apt-cache", *options, "search", "--names-only", "^linux-image-.*-cloud-arm64$"))
    if not found:
        raise NoKernel("apt finds no linux-image-6.1.0-*-cloud-arm64 (no network, or another archive than Debian 12's)")
    newest = max(found, key=natural_order)
    _run(work, "apt-get", *options, "download", newest)
    package = next(work.glob(f"{newest}_*.deb"))
    _run(work, "sh", "-c", 'dpkg-deb --fsys-tarfile "$0" | tar -x --wildcards "./boot/vmlinuz-*"', package)
    kernel = next((work / "boot").iterdir()).rename(cache / newest.replace("linux-image", "vmlinuz"))
    shutil.rmtree(work)
    return kernel


def _run(folder: Path, *command: object) -> str:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        raise NoKernel(f"{words[0]} took more than 120 s") from None
    if done.returncode != 0:
        raise NoKernel(f"{words[0]} failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
    return done.stdout


@dataclass
class Guest:
    """What came out of an emulated machine: the wait status of each job, and the content of each file by its path."""

    jobs: list[int]
    files: dict[str, bytes]

    def unpack(self, root: Path, below: tuple[str, ...]) -> None:
        """Write the files whose paths start with one of `below` under `root`."""
        for name, content in self.files.items():
            if name.startswith(below):
                path = root / name.removeprefix("/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


def boot(kernel: Path, root: Path, jobs: list[str], wanted: Iterable[str], seconds: float = 120) -> Guest:
    """Boot `kernel` with the files below `root`, to which init, loader and libc are added.

    jobs: lines of user number, output file and command; wanted: patterns of paths to bring out.
    """
    (root / "jobs").write_text("".join(f"{job}\n" for job in jobs))
    (root / "wanted").write_text("".join(f"{pattern}\n" for pattern in wanted))
    subprocess.run(
        [COMPILER, "-static", "-O2", "-Wall", "-Wextra", "-D_GNU_SOURCE", INIT, "-o", root / "init"], check=True
    )
    (root / "lib").mkdir()
    for library in ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6"):
        shutil.copy(LIBRARIES / library, root / "lib")
    names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
    archive = subprocess.run(
        ["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"],
        cwd=root,
        input=names.encode(),
        capture_output=True,
        check=True,
    )
    initrd = root.with_suffix(".cpio.gz")
    initrd.write_bytes(gzip.compress(archive.stdout, 1))
    machine = ["qemu-system-aarch64", "-M", "virt", "-cpu", "max,pauth-impdef=on", "-m", "512"]
    machine += ["-nic", "none", "-nographic", "-no-reboot", "-kernel", kernel, "-initrd", initrd]
    machine += ["-append", "console=ttyAMA0 rdinit=/init quiet loglevel=0 panic=-1"]
    done = subprocess.run(
        machine, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False
    )
    return _read(done.stdout + done.stderr)


def _read(console: str) -> Guest:
    assert "\ndone" in console, f"the machine stopped early:\n{console[-2000:]}"
    files = re.findall(r"^file (\S+)\n([0-9a-f\n]*)^end$", console, re.MULTILINE)
    return Guest(
        jobs=[int(status) for status in re.findall(r"^job (-?\d+)$", console, re.MULTILINE)],
        files={name: bytes.fromhex(text) for name, text in files},
    )
