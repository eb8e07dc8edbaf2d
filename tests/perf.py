"""Running ngcc_perf on small libraries."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from ngcc_campaign.common.schemas import validate

_FOLDER = tempfile.TemporaryDirectory(prefix="ngcc-perf-tests-")
# The canary is measured for a second once, not in every test.
CANARY = Path(_FOLDER.name) / "canary.json"
QUICK = ("--trials", "2", "--target-seconds", "0.002", "--patience", "1", "--canary", CANARY)


class Perf:
    """ngcc_perf in a folder of its own, in which libraries are named relatively."""

    def __init__(self, native: Path, folder: Path) -> None:
        self.program, self.folder = native / "ngcc_perf", folder
        self.output = folder / "record.json"
        self.started: list[subprocess.Popen] = []

    def start(self, *options: object, env: dict | None = None, **keys: object) -> subprocess.Popen:
        command = [str(part) for part in (self.program, *options)]
        environment = os.environ | (env or {})
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.started.append(subprocess.Popen(command, cwd=self.folder, env=environment, **pipes | keys))
        return self.started[-1]

    def end(self) -> None:
        """Kill what still runs: a test that failed must not keep the CPU's lock from all others."""
        for process in self.started:
            process.kill()
            process.wait()

    def run(self, *options: object, status: int = 0, **keys: object) -> str:
        """Runs to the end and checks the exit status. Returns standard error or, if that is empty, standard output.

        That another driver holds the CPU, as on a busy machine, is left out.
        """
        process = self.start(*options, **keys)
        out, error = process.communicate(timeout=120)
        assert process.returncode == status, error
        said = [line for line in error.splitlines(keepends=True) if not line.startswith("ngcc_perf: waiting for CPU")]
        error = "".join(said)
        return error or out

    def record(
        self, library: Path, *options: object, digest_bits: int = 256, message_bytes: int = 64, **keys: object
    ) -> dict:
        """Times `library`, and gives the record once it has passed its schema."""
        what = ("--library", library, "--digest-bits", digest_bits, "--bytes", message_bytes)
        self.run(*what, "--output", self.output, *QUICK, *options, **keys)
        return self.read()

    def read(self) -> dict:
        record = json.loads(self.output.read_text(encoding="utf-8"))
        validate(record, "record", self.output)
        return record
