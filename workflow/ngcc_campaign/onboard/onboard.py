"""A candidate file and its manifest, drafted from a submission's archive as far as that can be told by reading it."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ..campaign import catalog
from ..common.errors import Mistake
from ..common.files import sha256_file
from ..common.printable import escaped
from ..fetch import header
from ..verify.manifest import KAT_FILES
from .hints import Hint, find_hints
from .sources import Sources, find_sources
from .submission import Submission, listed, preference, shared_parts
from .texts import Texts, find_texts


@dataclass
class Draft:
    """What was written, and what a person is told: notes, and decisions that only a person can take."""

    candidate: Path
    manifest: Path | None
    notes: list[str]
    decisions: list[str]


@dataclass
class _Instance:
    """An instance as its header has it; `digest_bits` None where the header does not say it in one number."""

    name: str
    digest_bits: int | None
    directory: str
    doubts: list[str] = field(default_factory=list)


def onboard(archive: Path, identifier: str | None, output: Path) -> Draft:
    """Draft `<id>.yaml` and `<id>.sha256` in the folder `output` from a ZIP or a directory.

    The archive is read in place; nothing of it is unpacked or run. Raises Mistake where the archive can't be read or
    holds no instance, where the id is none, and where a file to be written is there already.
    """
    name = identifier or re.sub(r"[^a-z0-9]+", "-", archive.name.removesuffix(".zip").lower()).strip("-")
    if not re.fullmatch(catalog.CANDIDATE_ID, name) or name in catalog.PAGES:
        raise Mistake(f"id '{name}': expected lower-case letters, digits and hyphens, at most 40; give one with --id.")
    files = [output / f"{name}.yaml", output / f"{name}.sha256"]
    for file in files:
        if os.path.lexists(file):
            raise Mistake(f"{file}: there already, and never overwritten; remove it, or choose another --id.")
    if os.path.lexists(output) and not output.is_dir():
        raise Mistake(f"--output: {output} is there and no folder; give a folder, which is made where there is none.")
    if not archive.exists():
        raise Mistake(f"{archive}: no such file or directory; expected a submission's ZIP or its folder.")
    with Submission(archive) as submission:
        return _Drafting(submission, name, files).run()


class _Drafting:
    def __init__(self, submission: Submission, name: str, files: list[Path]):
        self.submission, self.name = submission, name
        self.candidate, self.manifest = files
        # Sentences, and the instances that each holds for.
        self.notes: dict[str, list[str]] = {}
        self.doubts: dict[str, list[str]] = {}

    def run(self) -> Draft:
        everywhere = _instances(self.submission)
        chosen = self.choose(everywhere)
        directories = {instance.directory for instance in everywhere}
        hints = find_hints(self.submission)
        entries, lines = [], []
        for instance in sorted(chosen, key=lambda one: catalog.natural_order(one.name)):
            texts = find_texts(self.submission, instance.name, instance.directory)
            digest_bits = self.width(instance, texts)
            if digest_bits is None:
                continue
            sources = find_sources(self.submission, instance.directory, directories)
            self.tell(instance, texts, sources, hints)
            entries.append(_entry(instance, digest_bits, sources))
            lines += _manifest_lines(instance, texts)
        if not entries:
            reasons = "; ".join(_sentences(self.doubts, 0))
            raise Mistake(f"{self.submission.path}: no instance to draft: {reasons}.")
        return self.write(entries, lines)

    def doubt(self, instance: _Instance, sentence: str) -> None:
        """Something that only a person can decide."""
        _add(self.doubts, sentence, instance)

    def note(self, instance: _Instance, sentence: str) -> None:
        _add(self.notes, sentence, instance)

    def choose(self, everywhere: list[_Instance]) -> list[_Instance]:
        """One directory for each name: reference implementations first, then those for every machine."""
        by_name: dict[str, list[_Instance]] = {}
        for instance in everywhere:
            by_name.setdefault(instance.name.lower(), []).append(instance)
        chosen = []
        for same in by_name.values():
            same.sort(key=lambda one: (preference(one.directory), one.directory.count("/"), one.directory))
            first, *others = same
            chosen.append(first)
            rivals = [one for one in others if preference(one.directory) == preference(first.directory)]
            if any(self.content(one) != self.content(first) for one in rivals):
                shown = listed([one.directory for one in (first, *rivals)])
                self.doubt(first, f"which directory? {shown}; the draft takes the first")
            elif others:
                self.note(first, f"not taken: {listed([one.directory for one in others])}")
        return chosen

    def content(self, instance: _Instance) -> dict[str, bytes]:
        files = self.submission.within(instance.directory)
        return {
            posixpath.basename(file): self.submission.source(file)
            for file in files
            if file.lower().endswith(catalog.INCLUDED_SUFFIXES)
        }

    def width(self, instance: _Instance, texts: Texts) -> int | None:
        """The digest's width: as the header says, else as the KAT texts say."""
        if instance.digest_bits and texts.digest_bits not in (None, instance.digest_bits):
            self.doubt(
                instance,
                f"{header.WIDTH_MACRO} is {instance.digest_bits}, but the KAT texts hold digests of "
                f"{texts.digest_bits} bits: which?",
            )
        digest_bits = instance.digest_bits or texts.digest_bits
        if digest_bits is None or digest_bits % 8 or not 8 <= digest_bits <= 65536:
            self.doubt(instance, f"{header.WIDTH_MACRO} is no number to use: add the instance with its digest_bits")
            return None
        if instance.digest_bits is None:
            self.note(instance, f"digest_bits {digest_bits} is taken from the KAT texts")
        return digest_bits

    def tell(self, instance: _Instance, texts: Texts, sources: Sources, hints: dict[str, list[Hint]]) -> None:
        """Collect what a person has to know of an instance."""
        for sentence in (*instance.doubts, *texts.decisions, *sources.decisions):
            self.doubt(instance, sentence)
        absent = [prefix for prefix in KAT_FILES[2:] if prefix not in texts.found]
        if absent and texts.found:
            self.note(instance, f"no {' nor '.join(absent)} text: kat=full has nothing to compare with")
        for file, reason in sources.left_out.items():
            self.note(instance, f"left out {sources.short(file)}: {reason}")
        told = set()
        for what, line in sources.unless:
            place = f"{what} in {sources.short(line.file)} line {line.number}"
            told |= set(line.guards)
            if not line.guards:
                self.doubt(instance, f"{place}, whatever is defined: give cflags, or another source")
            for macro in line.guards:
                seen = _seen(hints.get(macro, []), line.file, sources)
                self.doubt(instance, f"{place} unless {macro} is defined; {seen}")
        for macro in sorted((set(sources.asked) & set(hints)) - told):
            file, number = sources.asked[macro]
            asked = f"define {macro}? {sources.short(file)} line {number} asks for it"
            self.doubt(instance, f"{asked}; {_seen(hints[macro], file, sources)}")

    def write(self, entries: list[dict], lines: list[str]) -> Draft:
        path = self.submission.path
        archive: dict = {"path": os.path.relpath(path, self.candidate.parent)}
        if path.is_file():
            archive |= {"sha256": sha256_file(path), "bytes": path.stat().st_size}
        document = {"id": self.name, "algorithm": path.stem, "archive": archive}
        document |= {"kat": self.manifest.name} if lines else {}
        document |= {"instances": entries}
        notes, decisions = (_sentences(told, len(entries)) for told in (self.notes, self.doubts))
        comments = [f"Drafted by ngcc-campaign onboard from {path.name}: check it; give the algorithm its full name."]
        comments += [f"DECIDE: {decision}" for decision in decisions] + notes
        text = "".join(f"# {' '.join(comment.split())}\n" for comment in comments)
        text += yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000, default_flow_style=None)
        self.candidate.parent.mkdir(parents=True, exist_ok=True)
        _write_new(self.candidate, text)
        if lines:
            _write_new(self.manifest, "".join(f"{line}\n" for line in lines))
        catalog.load_candidate(self.candidate)
        return Draft(self.candidate, self.manifest if lines else None, notes, decisions)


def _instances(submission: Submission) -> list[_Instance]:
    """Directories with a header that defines an instance's macros."""
    found = []
    headers = [name for name in submission.names if posixpath.basename(name).lower().startswith("crypthash_")]
    for directory in dict.fromkeys(posixpath.dirname(name) for name in headers):
        names = header.header_names(directory or ".", submission.within(directory))
        macros: dict[str, str | None] = {}
        for name in reversed(names):
            macros |= header.macros(submission.source(name))
        if header.WIDTH_MACRO in macros or header.NAME_MACRO in macros:
            found.append(_instance(directory, macros))
    if not found:
        raise Mistake(
            f"{submission.path}: no directory holds {header.HEADER}, nor another CryptHash_*.h, that defines "
            f"{header.WIDTH_MACRO}; expected a submission of the category hash."
        )
    return found


def _instance(directory: str, macros: dict[str, str | None]) -> _Instance:
    name = header.string(macros.get(header.NAME_MACRO))
    doubts = []
    if name is None or not re.fullmatch(catalog.INSTANCE_NAME, name):
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", posixpath.basename(directory)).strip("-_")[:64] or "instance"
        doubts.append(f"the header gives no usable {header.NAME_MACRO}: the name is made from the folder's")
    return _Instance(name, header.number(macros.get(header.WIDTH_MACRO)), directory, doubts)


def _entry(instance: _Instance, digest_bits: int, sources: Sources) -> dict:
    """The instance's entry of the candidate file."""
    entry = {"name": instance.name, "digest_bits": digest_bits, "directory": instance.directory or "."}
    if sources.sources:
        entry["sources"] = [sources.short(source) for source in sources.sources]
    if sources.include_dirs:
        entry["include_dirs"] = [sources.short(folder) for folder in sources.include_dirs]
    return entry


def _manifest_lines(instance: _Instance, texts: Texts) -> list[str]:
    return [
        f"{text.sha256} strict {posixpath.join(posixpath.dirname(file), f'{prefix}_{instance.name}.txt')}"
        for prefix, (file, text) in texts.found.items()
    ]


def _seen(hints: list[Hint], file: str, sources: Sources) -> str:
    """Where a macro was seen in a script: in those nearest to `file`."""
    if not hints:
        return "no script defines it"
    nearest = max(shared_parts(hint.script, file) for hint in hints)
    near = [hint for hint in hints if shared_parts(hint.script, file) == nearest]
    return listed([f"-D{hint.define} in {sources.short(hint.script)} line {hint.line}" for hint in near], 2)


def _add(told: dict[str, list[str]], sentence: str, instance: _Instance) -> None:
    names = told.setdefault(sentence, [])
    if instance.name not in names:
        names.append(instance.name)


def _sentences(told: dict[str, list[str]], instances: int) -> list[str]:
    return [
        escaped(f"{'all instances' if len(names) == instances > 1 else listed(names)}: {sentence}")
        for sentence, names in told.items()
    ]


def _write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet."""
    with open(file, "x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
