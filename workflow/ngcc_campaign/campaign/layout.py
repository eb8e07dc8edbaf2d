"""Where evidence lies, below the folder of a system's results."""

from __future__ import annotations

from pathlib import Path


class Layout:
    """Paths of evidence: of the host and the drivers, of a candidate, of an instance, of a message length in bytes."""

    def __init__(self, results: Path) -> None:
        self.results = results

    @property
    def host(self) -> Path:
        return self.results / "host.json"

    @property
    def drivers(self) -> Path:
        return self.results / "bin" / "drivers.json"

    def own(self, name: str) -> Path:
        return self.results / "records" / f"{name}.json"

    def fetch(self, candidate: str) -> Path:
        return self.results / "fetch" / f"{candidate}.json"

    def build(self, candidate: str, instance: str) -> Path:
        return self.results / "build" / candidate / instance / "build.json"

    def kat(self, candidate: str, instance: str) -> Path:
        return self.results / "kat" / candidate / f"{instance}.json"

    def record(self, candidate: str, instance: str, message_bytes: int | str) -> Path:
        return self.results / "records" / candidate / f"{instance}__hash_{message_bytes}.json"

    def memory(self, candidate: str, instance: str) -> Path:
        return self.results / "memory" / candidate / f"{instance}.json"
