"""Read `snakemake --lint json` and fail on what it finds, less its demand for a container or conda environment."""

import json
import sys
from pathlib import Path

UNWANTED = "conda environment or container"

findings = json.loads(Path(sys.argv[1]).read_text() or "{}")
left = [
    f"{kind.get('rule') or kind.get('snakefile')}: {lint['title']}"
    for group in ("snakefiles", "rules")
    for kind in findings.get(group, [])
    for lint in kind.get("lints", [])
    if UNWANTED not in lint["title"]
]
print("\n".join(left) or "snakemake --lint: nothing left")
sys.exit(bool(left))
