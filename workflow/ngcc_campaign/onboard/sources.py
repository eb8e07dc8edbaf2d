"""What makes an instance's library: its sources, those that lie elsewhere, include folders, and what is in doubt."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ..campaign.catalog import is_left_out
from ..fetch.includes import included_names, look_for
from .functions import Functions, functions
from .preprocessor import Line, Unit, preprocess
from .submission import Submission, listed, preference, shared_parts

FUNCTION = "CryptHash"
_ROUNDS = 100  # of looking for what is missing
_VECTORS = re.compile(r"\b_mm(?:256|512)_\w+|#include <(?:immintrin|avx\w*)\.h")


@dataclass
class Sources:
    """Paths are relative to the submission's root, in the order in which they were found."""

    directory: str
    sources: list[str] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # file to reason
    decisions: list[str] = field(default_factory=list)
    # Names that conditions ask for and nothing defines, with the first place of each: file and line.
    asked: dict[str, tuple[str, int]] = field(default_factory=dict)
    # Code that stands there unless one of these names is defined: (what it is, its line).
    unless: list[tuple[str, Line]] = field(default_factory=list)

    def short(self, path: str) -> str:
        """`path` relative to the instance's directory, as a candidate file has it."""
        return posixpath.relpath(path, self.directory)


def find_sources(submission: Submission, directory: str, others: Iterable[str]) -> Sources:
    """The sources of the instance in `directory`; nothing is taken from `others`, the directories of instances."""
    return _Search(submission, directory, {other for other in others if other != directory}).run()


class _Search:
    def __init__(self, submission: Submission, directory: str, others: set[str]):
        self.submission, self.others = submission, others
        self.found = Sources(directory)
        self.units: dict[str, Unit] = {}
        self.functions: dict[str, Functions] = {}
        self.hopeless: set[str] = set()

    def run(self) -> Sources:
        self.start()
        for _ in range(_ROUNDS):
            self.read()
            if not (self.add_folder() or self.add_source()):
                break
        self.leave_out_programs()
        self.judge()
        return self.found

    @cached_property
    def elsewhere(self) -> list[str]:
        """Files outside the directories of instances."""
        known = {*self.others, self.found.directory}
        return [name for name in self.submission.names if posixpath.dirname(name) not in known]

    @cached_property
    def known(self) -> set[str]:
        return set(self.submission.names)

    @property
    def folders(self) -> list[str]:
        return [self.found.directory, *self.found.include_dirs]

    def start(self) -> None:
        """The .c files of the directory, but for those whose names say that they are something else."""
        for name in self.submission.within(self.found.directory):
            if not name.lower().endswith(".c"):
                continue
            if is_left_out(name):
                self.found.left_out[name] = "named like a program or a test"
            else:
                self.found.sources.append(name)
        for name in list(self.found.sources):
            targets = [look_for(other, name, self.folders, self.known) for other in self.included(name)]
            for target in set(targets) - {name}:
                self.drop(target, f"{posixpath.basename(name)} includes it")
        if not any(other.endswith("drng.h") for name in self.found.sources for other in self.included(name)
                   if posixpath.basename(name) != "drng.c"):  # fmt: skip
            for name in list(self.found.sources):
                if posixpath.basename(name) == "drng.c":
                    self.drop(name, "generator of the KAT program, which no other source includes")

    def included(self, name: str) -> list[str]:
        return included_names(self.submission.source(name))

    def drop(self, name: str | None, reason: str) -> None:
        if name in self.found.sources:
            self.found.sources.remove(name)
            self.found.left_out[name] = reason

    def read(self) -> None:
        """Preprocess what is there now; a new folder may answer what was missing."""
        for source in self.found.sources:
            if source not in self.units or any(one.name not in self.hopeless for one in self.units[source].missing):
                self.units[source] = preprocess(source, self.submission.source, self.folders, self.known)
                self.functions[source] = functions(self.units[source])

    def add_folder(self) -> bool:
        """An include folder for the first file that is missing and lies elsewhere in the submission."""
        for source in self.found.sources:
            for missing in self.units[source].missing:
                if missing.name in self.hopeless:
                    continue
                wanted = re.sub(r"^(\.\.?/)+", "", missing.name)
                places = [name for name in self.elsewhere if f"/{name}".endswith(f"/{wanted}")]
                folder = self.choose(places, missing.file, f"'{missing.name}'", missing.certain)
                if folder and wanted == missing.name:
                    self.found.include_dirs.append(folder[: -len(wanted)].rstrip("/") or ".")
                    return True
                self.hopeless.add(missing.name)
                if missing.certain:
                    place = f"{self.found.short(missing.file)} line {missing.number}"
                    self.found.decisions.append(f"{place} includes '{missing.name}', which is not there")
        return False

    def add_source(self) -> bool:
        """The file elsewhere that defines a function which the sources use and none of them defines."""
        for name, line in self.undefined().items():
            near = line.file if line else self.found.directory + "/"
            places = [file for file in self.elsewhere if self.defines(file, name)]
            chosen = self.choose(places, near, f"{name}()", True)
            if chosen:
                self.found.sources.append(chosen)
                return True
            self.hopeless.add(name)
            self.found.decisions.append(f"no source defines {name}()")
        return False

    def undefined(self) -> dict[str, Line | None]:
        parts = [self.functions[source] for source in self.found.sources]
        defined = {name for part in parts for name in part.defined} | self.hopeless
        used = {name for part in parts for name in part.used}
        wanted: dict[str, Line | None] = {} if FUNCTION in defined else {FUNCTION: None}
        for part in parts:
            wanted |= {name: line for name, line in part.declared.items() if name in used - defined}
        return wanted

    def defines(self, file: str, name: str) -> bool:
        if not file.lower().endswith(".c") or is_left_out(file) or file in self.found.sources:
            return False
        if name.encode() not in self.submission.source(file):
            return False
        unit = preprocess(file, self.submission.source, self.folders, self.known)
        return name in functions(unit).defined

    def choose(self, places: list[str], near: str, what: str, certain: bool) -> str | None:
        """The best of several files; in doubt the first, and a person is asked."""
        if not places:
            return None
        keys = {place: (preference(place), -shared_parts(place, near)) for place in places}
        best = [place for place in sorted(places, key=keys.get) if keys[place] == min(keys.values())]
        contents = {self.submission.source(place) for place in best}
        if len(contents) > 1 and certain:
            shown = listed([self.found.short(place) for place in best])
            self.found.decisions.append(f"which file has {what}? {shown}; the draft takes the first")
        return best[0]

    def leave_out_programs(self) -> None:
        """A source with a main of its own, unless the function is in it too."""
        for source in list(self.found.sources):
            defined = self.functions[source].defined
            main = defined.get("main")
            if main and main.certain and not main.guards and FUNCTION not in defined:
                self.drop(source, f"a program: line {main.number} defines main")

    def judge(self) -> None:
        """What a person has to know of the sources that are left."""
        owners: dict[str, str] = {}
        for source in self.found.sources:
            unit, defined = self.units[source], self.functions[source].defined
            for name in defined:
                if owners.setdefault(name, source) != source and name != "main":
                    both = f"{self.found.short(owners[name])} and {self.found.short(source)}"
                    self.found.decisions.append(f"{both} define {name}(): which of them?")
            for name, place in unit.asked.items():
                self.found.asked.setdefault(name, place)
            main = defined.get("main")
            if main and main.certain and main.guards:
                self.found.unless.append(("a program's main", main))
            vectors = next((line for line in unit.lines if line.certain and _VECTORS.search(line.text)), None)
            if vectors and not any("target(" in line.text for line in unit.lines):
                self.found.unless.append(("AVX code", vectors))
            if not unit.whole:
                self.found.decisions.append(f"{self.found.short(source)} includes more than can be read here")
