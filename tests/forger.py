"""A sound results folder, whose digests, times and tables agree; and a forger, who mends all digests after a change."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evidence import Results, head
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.campaign import made
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import sha256_document, sha256_file
from ngcc_campaign.host.hostfacts import fitness, machine
from ngcc_campaign.memory.elf import static_sizes
from ngcc_campaign.render import render
from ngcc_campaign.verify.verify import log_text

CANDIDATE, INSTANCES = "alpha", {"One-256": 256, "Two-512": 512}
STATEMENT = "Measured on this host, which is local."
PROGRAMS = ("ngcc_perf", "ngcc_kat", "ngcc_memory", "libempty.so", "libcontrol.so")
BEGAN = datetime(2025, 3, 1, 12, tzinfo=UTC)
# What holds digests of what comes before it.
ORDER = ("host.json", "fetch/", "bin/", "build/", "kat/", "memory/", "records/")


def sound(folder: Path, library: Path) -> Results:
    """A results folder of one candidate beside that of another system; all of it passes the audit.

    `library` is any shared library; each instance gets a copy that differs in its last bytes.
    """
    results = Results(folder).complete(CANDIDATE, INSTANCES).own()
    results.change("host.json", lambda told: told["made_from"].update(facts=sha256_document(told["facts"])))
    own = {"machine": machine(results.facts), "fitness": fitness([])}
    for name in files(folder, "records/"):
        results.change(name, lambda told: told["made_from"].update(own))
    (folder / "bin").mkdir()
    for program in PROGRAMS:
        (folder / "bin" / program).write_text(f"the program {program}\n")
    drivers = {"compiler": "gcc (Debian 12.2.0-14) 12.2.0", "started_utc": "", "ended_utc": ""}
    results._write("bin/drivers.json", head("drivers") | drivers | {"programs": dict.fromkeys(PROGRAMS, "")})
    source = {"file": "alpha.c", "sha256": "5" * 64}
    results.change(f"fetch/{CANDIDATE}.json", lambda told: told["files"].append(source | {"bytes": 100}))
    for number, instance in enumerate(INSTANCES):
        place = f"build/{CANDIDATE}/{instance}"
        results.change(f"{place}/build.json", lambda told: told["sources"].append(source | {"staged": "alpha.c"}))
        copy = folder / place / "guide" / f"lib{instance}.so"
        copy.parent.mkdir()
        copy.write_bytes(library.read_bytes() + bytes([number]))
        copy.parent.with_suffix(".log").write_text("the compiler's words\n")
        sizes = static_sizes(copy)
        results.change(f"memory/{CANDIDATE}/{instance}.json", lambda told, sizes=sizes: told.update(elf=sizes))
    _set_clock(results)
    link(folder)
    publish(folder)
    return results


def _set_clock(results: Results) -> None:
    """Everything took a minute, one after another in the order in which a campaign does it."""
    names = [name for top in ORDER for name in files(results.folder, top) if name.endswith(".json")]
    for number, name in enumerate(names):
        moments = [BEGAN + timedelta(seconds=70 * number + seconds) for seconds in (0, 60)]
        started, ended = (moment.strftime("%Y-%m-%dT%H:%M:%SZ") for moment in moments)
        told = {"created_utc": ended} if name == "host.json" else {"started_utc": started, "ended_utc": ended}
        results.change(name, lambda document, told=told: document.update(told))


def files(folder: Path, top: str = "") -> list[str]:
    """Names of the files below a folder, or of those that begin with `top`."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [name for name in names if name.startswith(top)]


def link(folder: Path) -> None:
    """Write every digest into the document that holds it, from the first to the last."""

    def change(name: str, alter) -> None:
        document = json.loads((folder / name).read_text())
        alter(document)
        (folder / name).write_text(json.dumps(document, indent=2) + "\n")

    def digest(name: str) -> str:
        return sha256_file(folder / name)

    programs = {program: digest(f"bin/{program}") for program in PROGRAMS}
    change("bin/drivers.json", lambda told: told.update(programs=programs))
    for instance in INSTANCES:
        library = f"build/{CANDIDATE}/{instance}/guide/lib{instance}.so"
        kat, log = (f"kat/{CANDIDATE}/{instance}.{kind}" for kind in ("json", "log"))
        found = {"library_sha256": digest(library)}
        build = f"build/{CANDIDATE}/{instance}/build.json"
        change(build, lambda told, found=found: told["variants"][0].update(found))
        change(kat, lambda told, found=found: told.update(found))
        (folder / log).write_text(log_text(json.loads((folder / kat).read_text())))
        change(kat, lambda told, log=log: told.update(log_sha256=digest(log)))
        change(f"memory/{CANDIDATE}/{instance}.json", lambda told, found=found: told.update(found))
        rests = found | {"verdict_sha256": digest(kat)}
        for name in files(folder, f"records/{CANDIDATE}/{instance}__"):
            change(name, lambda told, rests=rests: told["files"].update(rests))
    for name in files(folder, "records/"):
        document = json.loads((folder / name).read_text())
        own = Path(document["files"]["library"]).name
        rests = {"driver_sha256": programs["ngcc_perf"], "host_sha256": digest("host.json")}
        if "/" not in name.removeprefix("records/"):
            rests |= {"library_sha256": programs[own], "verdict": None, "verdict_sha256": None}
        change(name, lambda told, rests=rests: told["files"].update(rests))


def publish(folder: Path, tables_too: bool = True) -> None:
    """Make the tables and the pages as the product does; what it refuses to make stays as it was."""
    try:
        if tables_too:
            aggregate(folder, [CANDIDATE], "measured", STATEMENT)
        else:
            seal(folder)
        render.render(folder, systems=("other",), published=folder / "none")
    except Mistake:
        pass


def seal(folder: Path) -> None:
    """Let made.json say that the tables, as they are, were made from the evidence."""
    made.write(folder / "tables", made.evidence(folder, [CANDIDATE]), [f"{name}.csv" for name in tables.COLUMNS])


def neighbour(folder: Path, other: Path) -> None:
    """Another system's results: the same tables by another name."""
    shutil.copytree(folder / "tables", other / "tables")
    row = tables.read(other, "campaign")[0] | {"system": "other"}
    tables.write(other, "campaign", [row])
    seal(other)
    publish(folder)


class Forger:
    """Knows the digests of a sound folder, and puts new ones in their places."""

    def __init__(self, folder: Path) -> None:
        self._digests = {name: sha256_file(folder / name) for name in files(folder)}

    def relink(self, folder: Path, tables_too: bool = True) -> None:
        """Replace each digest that no longer holds, in the order in which files speak of one another; then publish.

        With `tables_too` tables are made again; else what is written there is taken as it is.
        """
        new: dict[bytes, bytes] = {}
        for name in (name for top in ORDER for name in sorted(files(folder, top), key=_logs_first)):
            path = folder / name
            data = before = path.read_bytes()
            for old, now in new.items():
                data = data.replace(old, now)
            if data != before:
                path.write_bytes(data)
            digest = sha256_file(path)
            if name in self._digests and digest != self._digests[name] and not name.startswith("records/"):
                new[self._digests[name].encode()] = digest.encode()
        publish(folder, tables_too)


def _logs_first(name: str) -> tuple:
    return name.endswith(".json"), name


def change(folder: Path, name: str, alter) -> None:
    """Put into a JSON file below `folder` what `alter` makes of it, and mend nothing."""
    document = json.loads((folder / name).read_text())
    alter(document)
    (folder / name).write_text(json.dumps(document, indent=2) + "\n")
