"""ngcc_kat quick, compared with what it can't do without: hash calls, generator, SHA-256 of the texts.

usage: bench_kat.py FOLDER_OF_NGCC_KAT [REPETITIONS]

The library is SM3 by native/lib/sm3.c, built -O2. Every repetition times the parts and the whole one after the other,
so that a change of the machine's speed meets both; medians are printed, and the median of the ratios. Target: at most
1.3.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "native"
PARTS = ("hash calls", "generator", "SHA-256")
WRAPPER = """
#include "sm3.c"
int CryptHash(int bits, const unsigned char *message, unsigned long long length, unsigned char *digest)
{
    (void)bits;
    sm3_bits(message, length, digest);
    return 0;
}
"""


def build(folder: Path) -> tuple[Path, Path]:
    """Compile the library under test and the program that times the parts."""
    library, parts = folder / "libsm3.so", folder / "kat_parts"
    (folder / "sm3hash.c").write_text(WRAPPER)
    names = ("kat/procedures", *(f"lib/{name}" for name in ("library", "drng", "sm3", "sha256", "file")))
    modules = [NATIVE / f"{name}.c" for name in names]
    gcc = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", f"-I{NATIVE / 'lib'}", f"-I{NATIVE / 'kat'}"]
    subprocess.run([*gcc, "-O2", "-fPIC", "-shared", folder / "sm3hash.c", "-o", library], check=True)
    subprocess.run([*gcc, "-O3", HERE / "kat_parts.c", *modules, "-ldl", "-o", parts], check=True)
    return library, parts


def milliseconds(command: list) -> float:
    """Wall clock of a command."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - start)


def main() -> None:
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    program, repetitions = Path(sys.argv[1], "ngcc_kat").resolve(), int(sys.argv[2]) if len(sys.argv) == 3 else 15
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library, parts = build(folder)
        command = [program, "--library", library, "--instance", "sm3hash-256", "--digest-bits", "256"]
        milliseconds([*command, "--text", folder])
        rows = []
        for _ in range(repetitions):
            timed = subprocess.run([parts, library, *folder.glob("KAT_*.txt")], check=True, capture_output=True)
            rows.append([*(int(field) / 1e6 for field in timed.stdout.split()), milliseconds(command)])
    for title, column in zip((*PARTS, "ngcc_kat"), zip(*rows, strict=True), strict=True):
        print(f"{title:12} {statistics.median(column):8.2f} ms")
    print(f"{'ratio':12} {statistics.median(row[-1] / sum(row[:-1]) for row in rows):8.2f}")


if __name__ == "__main__":
    main()
