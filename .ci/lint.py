"""Run `snakemake --lint` and fail on what it finds, less its demand for a container or conda environment."""

import re
import subprocess
import sys

UNWANTED = "Specify a conda environment or container"

lints = subprocess.run(["snakemake", "--lint"], capture_output=True, text=True, check=False).stderr
if "Lints for" not in lints:
    sys.exit(f"snakemake --lint found nothing at all, not even what it always finds:\n{lints}")
place, left = "", []
for line in lints.splitlines():
    if line.startswith("Lints for"):
        place = line.removeprefix("Lints for ")
    elif found := re.match(r" {4}\* (.*)", line):
        left += [] if found[1].startswith(UNWANTED) else [f"{place} {found[1]}"]
print("\n".join(left) or "snakemake --lint: nothing left")
sys.exit(bool(left))
