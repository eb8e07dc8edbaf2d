"""Write or check the KAT manifests of the bundled submissions.

    python -m tests.model                            write resources/kat/{iccs,fips,yardstick}.sha256
    python -m tests.model --check                    recompute every line; exit 1 if one differs
    python -m tests.model --check KAT_2_12 KAT_2_23  the same for these files only

All four files take some minutes, and KAT_2_33 2 GiB of memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .instances import ALL, CANDIDATES, Instance
from .kat import FILES, canonical_digest, text

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "kat"


def line(instance: Instance, file: str) -> str:
    """The manifest's line for one file of an instance."""
    digest = canonical_digest(text(file, instance.digest_bits, instance.function))
    return f"{digest} strict {instance.directory}/{file}_{instance.name}.txt"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.model", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", nargs="*", choices=FILES, metavar="FILE", help="compare instead of writing")
    check = parser.parse_args(arguments).check
    lines = _lines(check or FILES)
    wrong = 0
    for candidate in CANDIDATES:
        manifest = FOLDER / f"{candidate}.sha256"
        made = [lines[key] for key in sorted(lines, key=_order) if key[0].candidate == candidate]
        if check is None:
            manifest.write_text("".join(f"{entry}\n" for entry in made), encoding="utf-8", newline="\n")
            continue
        committed = manifest.read_text(encoding="utf-8").splitlines()
        for entry in made:
            if entry not in committed:
                print(f"{manifest.name} lacks: {entry}")
                wrong += 1
    return 1 if wrong else 0


def _lines(files: list[str] | tuple[str, ...]) -> dict[tuple[Instance, str], str]:
    """Lines by instance and file; file by file, because a long message is made once for all instances."""
    lines = {}
    for file in files:
        for instance in ALL:
            start = time.monotonic()
            lines[instance, file] = line(instance, file)
            print(f"{time.monotonic() - start:7.1f} s  {lines[instance, file]}", file=sys.stderr, flush=True)
    return lines


def _order(key: tuple[Instance, str]) -> tuple[int, int]:
    return ALL.index(key[0]), FILES.index(key[1])


if __name__ == "__main__":
    sys.exit(main())
