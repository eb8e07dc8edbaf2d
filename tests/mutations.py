"""Changes to a results folder, one at a time: what somebody's slip, a bad disk or a forger would do."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from forger import CANDIDATE, INSTANCES, files

# What tools said, and what an audit wrote: no evidence.
NO_EVIDENCE = re.compile(r"build/.*\.log|audit\.json")
MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
# Members of a record that figures are made of, or that say what they are figures of.
TRIAL = (
    "trial", "calls", "elapsed_ns", "reference_ticks", "voluntary_switches", "involuntary_switches", "minor_faults",
    "major_faults", "cpu_before", "cpu_after", "digest",
)  # fmt: skip
BATCH = ("calls", "elapsed_ns", "reference_ticks", "voluntary_switches", "involuntary_switches", "minor_faults", "cpu")
RECORD = ("candidate", "instance", "operation", "digest_bits", "message_bytes")
PLAN = ("calls_per_batch", "batches_per_trial")


def evidence(folder: Path) -> list[str]:
    return [name for name in files(folder) if not NO_EVIDENCE.fullmatch(name)]


def byte(folder: Path, rng: random.Random) -> str:
    """One byte of any file becomes another one."""
    name = rng.choice(evidence(folder))
    data = bytearray((folder / name).read_bytes())
    place = rng.randrange(len(data))
    data[place] ^= rng.randrange(1, 256)
    (folder / name).write_bytes(data)
    return f"byte {place} of {name}"


def digit(folder: Path, rng: random.Random) -> str:
    """One digit of any text becomes another one."""
    return _other_digit(folder, [name for name in evidence(folder) if not name.endswith(".so")], rng)


def _other_digit(folder: Path, names: list[str], rng: random.Random) -> str:
    path = folder / rng.choice([name for name in names if re.search(rb"[0-9]", (folder / name).read_bytes())])
    text = path.read_text(encoding="utf-8")
    place = rng.choice([match.start() for match in re.finditer(r"[0-9]", text)])
    other = rng.choice([one for one in string.digits if one != text[place]])
    path.write_text(text[:place] + other + text[place + 1 :], encoding="utf-8")
    return f"digit {place} of {path.name}: {text[place]} became {other} after …{text[max(0, place - 30) : place]}"


def name(folder: Path, rng: random.Random) -> str:
    """One letter or digit of a file's name becomes another one."""
    return _rename(folder, evidence(folder), rng)


def document_name(folder: Path, rng: random.Random) -> str:
    """The same, of a file that nobody makes again from the others."""
    return _rename(folder, [name for name in evidence(folder) if not name.startswith(("tables/", "report/"))], rng)


def _rename(folder: Path, names: list[str], rng: random.Random) -> str:
    old = rng.choice(names)
    place = rng.choice([match.start() for match in re.finditer(r"[a-z0-9]", old.rpartition("/")[2])])
    place += len(old) - len(old.rpartition("/")[2])
    new = old[:place] + rng.choice([one for one in "abcxyz0123456789" if one != old[place]]) + old[place + 1 :]
    if (folder / new).exists():
        (folder / new).unlink()
    (folder / old).rename(folder / new)
    return f"{old} was renamed {new}"


def moment(folder: Path, rng: random.Random) -> str:
    """One time stamp moves by a second to a day, to either side."""
    told = [name for name in evidence(folder) if MOMENT.search((folder / name).read_bytes())]
    path = folder / rng.choice(told)
    data = path.read_bytes()
    match = rng.choice(list(MOMENT.finditer(data)))
    seconds = rng.choice((-1, 1)) * round(10 ** rng.uniform(0, 4.9))
    return _move(path, data, match, seconds)


def _move(path: Path, data: bytes, match: re.Match, seconds: int) -> str:
    moved = datetime.fromisoformat(match[0].decode()) + timedelta(seconds=seconds)
    path.write_bytes(data[: match.start()] + moved.strftime("%Y-%m-%dT%H:%M:%SZ").encode() + data[match.end() :])
    return f"{match[0].decode()} in {path.name} moved by {seconds} s"


def figure(folder: Path, rng: random.Random) -> str:
    """One number or text of a record that a figure rests on."""
    path = folder / rng.choice(files(folder, "records/"))
    record = json.loads(path.read_text())
    trial = rng.choice(record["trials"])
    part, keys = rng.choice([(record, RECORD), (record["plan"], PLAN), (trial, TRIAL), (trial, TRIAL)])
    if rng.random() < 0.5:
        part, keys = rng.choice(trial["batches"]), BATCH
    key = rng.choice(keys)
    before = part[key]
    part[key] = _other(before, rng)
    path.write_text(json.dumps(record, indent=2) + "\n")
    return f"{path.name}: {key} {str(before)[:40]} became {str(part[key])[:40]}"


def _other(value: object, rng: random.Random) -> object:
    """The value with another digit or letter in one place."""
    text = str(value)
    place = rng.choice([match.start() for match in re.finditer(r"[0-9A-Za-z]", text)])
    letters = string.digits if text[place].isdigit() else "ABCDEF" if text[place].isupper() else "abcxyz"
    changed = text[:place] + rng.choice([one for one in letters if one != text[place]]) + text[place + 1 :]
    return int(changed) if isinstance(value, int) else changed


def batch_and_total(folder: Path, rng: random.Random) -> str:
    """A batch takes longer or shorter by a percent or more, and its trial's total with it."""
    path = folder / rng.choice(files(folder, "records/"))
    record = json.loads(path.read_text())
    trial = rng.choice(record["trials"])
    batch = rng.choice(trial["batches"])
    by = rng.choice((-1, 1)) * round(batch["elapsed_ns"] * rng.uniform(0.01, 0.5))
    for part in (batch, trial):
        part["elapsed_ns"] += by
    path.write_text(json.dumps(record, indent=2) + "\n")
    return f"{path.name}: a batch and its trial took {by} ns more"


def outer_time(folder: Path, rng: random.Random) -> str:
    """A trial's process lived longer or shorter than its ticks tell."""
    path = folder / rng.choice(files(folder, "records/"))
    record, factor = json.loads(path.read_text()), rng.choice((rng.uniform(0.3, 0.97), rng.uniform(1.03, 3)))
    process = rng.choice(record["trials"])["process"]
    key = rng.choice(("wall_ns", "reference_ticks"))
    process[key] = round(process[key] * factor)
    path.write_text(json.dumps(record, indent=2) + "\n")
    return f"{path.name}: {key} of a process became {factor:.2f} times as much"


def slow_clock(folder: Path, rng: random.Random) -> str:
    """A record's core clock is lower by 6 % to a half, and so are its cycles."""
    path = folder / rng.choice(files(folder, "records/"))
    record, factor = json.loads(path.read_text()), rng.uniform(1.06, 2)
    for clock in (trial["core_clock"] for trial in record["trials"]):
        clock |= {key: round(clock[key] * factor) for key in ("before_ns", "after_ns")}
    path.write_text(json.dumps(record, indent=2) + "\n")
    return f"{path.name}: its core clock is lower by the factor {factor:.2f}"


def fact(folder: Path, rng: random.Random) -> str:
    """A fact of the host is another one."""
    path = folder / "host.json"
    host = json.loads(path.read_text())
    key = rng.choice([key for key, value in host["facts"].items() if isinstance(value, str) and value])
    host["facts"][key] = _other(before := host["facts"][key], rng)
    path.write_text(json.dumps(host, indent=2) + "\n")
    return f"host.json: {key} {before} became {host['facts'][key]}"


def record_moment(folder: Path, rng: random.Random) -> str:
    """A record's start or end moves by ten minutes or more."""
    path = folder / rng.choice(files(folder, "records/"))
    data = path.read_bytes()
    seconds = rng.choice((-1, 1)) * round(10 ** rng.uniform(2.8, 7))
    return _move(path, data, rng.choice(list(MOMENT.finditer(data))), seconds)


def verdict(folder: Path, rng: random.Random) -> str:
    """A digest, a count or the verdict itself."""
    path = folder / f"kat/{CANDIDATE}/{rng.choice(list(INSTANCES))}.json"
    kat = json.loads(path.read_text())
    part, key = rng.choice([(kat["files"][0], "sha256"), (kat["files"][0], "expected_sha256"), (kat, "digest_bits")])
    if rng.random() < 0.4:
        part, key = rng.choice([(kat["files"][0], "records"), (kat, "library_sha256"), (kat, "instance")])
    before = part[key]
    part[key] = _other(before, rng) if key != "sha256" else _other(before.upper(), rng).lower()
    path.write_text(json.dumps(kat, indent=2) + "\n")
    return f"{path.name}: {key} {before} became {part[key]}"


def cell(folder: Path, rng: random.Random) -> str:
    """A digit in a table."""
    return _other_digit(folder, [name for name in files(folder, "tables/") if name.endswith(".csv")], rng)


def swap(folder: Path, rng: random.Random) -> str:
    """Two records change places."""
    one, other = rng.sample(files(folder, "records/"), 2)
    held = (folder / one).read_bytes()
    (folder / one).write_bytes((folder / other).read_bytes())
    (folder / other).write_bytes(held)
    return f"{one} and {other} were swapped"


def drop(folder: Path, rng: random.Random) -> str:
    """A file of evidence goes."""
    gone = rng.choice([name for top in ("records/", "kat/", "memory/", "fetch/") for name in files(folder, top)])
    (folder / gone).unlink()
    return f"{gone} was dropped"


def foreign(folder: Path, rng: random.Random) -> str:
    """A record, a verdict or a page of something else comes in."""
    return _come_in(folder, ("records/", "kat/", "report/"), rng)


def foreign_document(folder: Path, rng: random.Random) -> str:
    """The same, of what stays where pages are rendered again."""
    return _come_in(folder, ("records/", "kat/"), rng)


def _come_in(folder: Path, tops: tuple[str, ...], rng: random.Random) -> str:
    guest = rng.choice([name for top in tops for name in files(folder, top)])
    place = Path(guest)
    new = rng.choice([place.with_name(f"x{place.name}"), Path(place.parts[0], "guest", place.name)])
    (folder / new).parent.mkdir(exist_ok=True)
    (folder / new).write_bytes((folder / guest).read_bytes())
    return f"{new} came in"


Mutation = Callable[[Path, random.Random], str]
# By how many of each there are: of those whose digests nobody mends, and of those after which a forger mends all.
PLAIN: dict[Mutation, int] = {byte: 50, digit: 40, name: 20, moment: 22, swap: 6, drop: 6, foreign: 6}
FORGED: dict[Mutation, int] = {
    figure: 40, batch_and_total: 16, record_moment: 20, verdict: 20, cell: 20, document_name: 10,
    swap: 8, drop: 8, foreign_document: 8, slow_clock: 8, outer_time: 8, fact: 8,
}  # fmt: skip
# After these the forger takes the tables as they are.
AFTER_TABLES = (cell,)
