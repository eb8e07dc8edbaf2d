"""What a campaign makes, from what, and which of it is stale.

Every piece of evidence holds `made_from`, a name and a text for each thing that it depends on. What stands there is
compared with what would stand there now; so neither time stamps nor Snakemake's own metadata decide whether a figure
is still true, and evidence copied into a fresh clone is judged like any other.
"""

from __future__ import annotations

import random
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..aggregate import tables
from ..aggregate.stored import in_order
from ..common.errors import Mistake
from ..host import host
from ..measure.own import OWN
from ..published import published
from ..render import beside, render
from ..render.site import names
from . import catalog, made, staleness
from .catalog import Candidate, Instance
from .evidence import Decision, decide, decide_unmeasured
from .holdings import Holdings
from .layout import Layout
from .origins import Origins
from .settings import YARDSTICK, Settings

# The seed of the order of timing jobs.
ORDER_SEED = "ngcc-perf"


@dataclass(frozen=True)
class Evidence:
    """One JSON file of a campaign: what it is made from, and the evidence that must be there before it."""

    path: Path
    made_from: dict[str, str]
    needs: tuple[Path, ...] = ()


class Campaign(Layout):
    """All evidence of one campaign, by path. Nothing is read or hashed before it is asked for."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.results)
        self.settings = settings
        self.holdings = Holdings(settings, lambda: self.facts)
        self._candidates = {candidate.id: candidate for candidate in settings.candidates}
        # Evidence to be made again although it is true.
        self.asked_for: set[Path] = set()
        for instance in settings.retime:
            self.asked_for |= {self.record(*instance, length) for length in catalog.MESSAGE_BYTES}

    @property
    def inputs(self) -> list[Path]:
        """All that the tables are made of; of stored evidence and published figures, what there is."""
        if self.kind != "measured":
            return [path for path in self.table_inputs.values() if path.exists()]
        paths = [self.host, self.drivers, *map(self.own, OWN)]
        paths += [self.fetch(candidate.id) for candidate in self.settings.candidates]
        for instance in self.instances:
            name = (instance.candidate, instance.name)
            paths += [self.build(*name), self.kat(*name), self.memory(*name)]
            paths += [self.record(*name, length) for length in catalog.MESSAGE_BYTES]
        return paths

    @property
    def table_inputs(self) -> dict[str, Path]:
        """What the tables would be made from now, by name, as made.json tells it."""
        if self.kind == "published":
            return published.inputs(self.published, self.compared)
        return made.evidence(self.results, self.shown)

    @property
    def tables(self) -> list[Path]:
        return [tables.path(self.results, table) for table in tables.of(self.kind)]

    @property
    def pages(self) -> list[Path]:
        return [self.results / "report" / f"{name}.md" for name in (*catalog.PAGES, *self.shown)]

    @property
    def data(self) -> list[Path]:
        """The figures of the pages for papers and programs."""
        return [self.results / "report" / name for name in render.data_files(self.shown)]

    @property
    def drawings(self) -> list[tuple[Path, str, str]]:
        """The plots of the site's English part: file, candidate, and what they show."""
        return [
            (self.results / "report" / names.drawing("en", candidate, plot), candidate, plot)
            for candidate in self.shown
            for plot in names.plots(self.kind)
        ]

    @property
    def notes(self) -> list[Path]:
        """What lies beside tables and pages."""
        return [self.results / name for name in (f"tables/{made.NAME}", f"report/{made.NAME}", beside.NAME)]

    @property
    def shown(self) -> list[str]:
        """The candidates that the report shows, by id: of stored evidence all, where nobody said which."""
        if self.kind == "stored" and self.settings.is_open:
            return in_order(path.stem for path in (self.results / "fetch").glob("*.json"))
        return [candidate.id for candidate in self.compared]

    @property
    def compared(self) -> list[Candidate]:
        """The candidates of the report: of published figures, those that are no yardstick."""
        published = self.kind == "published"
        return [one for one in self.settings.candidates if not (published and one.id == YARDSTICK)]

    @cached_property
    def decision(self) -> Decision:
        """Which evidence the report is made from; decided once, before the job graph is drawn."""
        settings = self.settings
        return decide(settings.evidence, settings.system, self.holdings, unfit_host=settings.unfit_host)

    @cached_property
    def stored_decision(self) -> Decision:
        """The same where nothing may be measured: stored evidence, or published figures."""
        return decide_unmeasured(self.settings.evidence, self.settings.system, self.holdings)

    @property
    def kind(self) -> str:
        """measured, stored or published; measured, too, where a mistake stands in the way of deciding."""
        try:
            return self.decision.kind
        except Mistake:
            return "measured"

    def evidence_options(self, decision: Decision) -> list[str]:
        """What `ngcc-campaign aggregate` must know of the evidence."""
        published = decision.kind == "published"
        files = [str(one.file) for one in self.settings.candidates if not (published and one.id == YARDSTICK)]
        source = ["--published", str(self.published)] if published else ["--evidence", decision.kind]
        everything_stored = decision.kind == "stored" and self.settings.is_open
        return [*source, "--statement", decision.statement, *([] if everything_stored else ["--candidates", *files])]

    @property
    def published(self) -> Path:
        return published.FOLDER / self.settings.system["id"]

    # Candidates.

    def candidate(self, name: str) -> Candidate:
        return self._candidates[name]

    @property
    def instances(self) -> list[Instance]:
        return [instance for candidate in self.settings.candidates for instance in candidate.instances]

    # Evidence.

    @cached_property
    def evidence(self) -> dict[Path, Evidence]:
        """Everything that this campaign is to leave behind, by path."""
        origins = Origins(self.settings, self.holdings, lambda: self.facts)
        found = [
            Evidence(self.host, origins.host),
            Evidence(self.drivers, origins.drivers),
            *(Evidence(self.own(name), origins.timing, (self.host, self.drivers)) for name in OWN),
        ]
        for candidate in self.settings.candidates:
            found.append(Evidence(self.fetch(candidate.id), origins.fetch(candidate)))
            for instance in candidate.instances:
                found += self._instance(instance, origins.instance(candidate, instance))
        return {evidence.path: evidence for evidence in found}

    def _instance(self, instance: Instance, made_from: dict[str, dict[str, str]]) -> list[Evidence]:
        name = (instance.candidate, instance.name)
        build, kat = self.build(*name), self.kat(*name)
        return [
            Evidence(build, made_from["build"], (self.fetch(instance.candidate),)),
            Evidence(kat, made_from["verify"], (build, self.drivers)),
            Evidence(self.memory(*name), made_from["memory"], (kat,)),
            *(
                Evidence(self.record(*name, length), made_from["measure"], (kat, self.host, self.drivers))
                for length in catalog.MESSAGE_BYTES
            ),
        ]

    def from_options(self, path: str | Path) -> str:
        """`--from NAME=VALUE …` for the command that makes `path`, quoted for a shell."""
        made_from = self.evidence[Path(path)].made_from
        return shlex.join(part for name, value in made_from.items() for part in ("--from", f"{name}={value}"))

    @cached_property
    def stale(self) -> dict[Path, str]:
        """What is there and no longer true, with the reason: evidence, and tables, which pages follow, or pages."""
        found = staleness.stale_tables(self) or staleness.stale_report(self)
        if self.kind == "measured":
            found |= staleness.stale_evidence(self) | dict.fromkeys(self.asked_for, "asked for")
        return found

    @property
    def unsettled(self) -> set[Path]:
        """What has to be made: all that is stale, and evidence that is absent."""
        absent = {path for path in self.evidence if not path.exists()} if self.kind == "measured" else set()
        return absent | self.stale.keys()

    def is_settled(self, path: Path) -> bool:
        """There, and true."""
        return path.exists() and path not in self.stale

    def made_by(self, rule: str) -> set[Path]:
        """The evidence that a rule makes."""
        stages = {"verify": "kat", "measure": "records", "measure_own": "records", "drivers": "bin"}
        stage = stages.get(rule, rule)
        return {path for path in self.evidence if path.relative_to(self.results).with_suffix("").parts[0] == stage}

    def with_needs(self, paths: set[Path]) -> set[Path]:
        """`paths` and all evidence that they rest on."""
        found: set[Path] = set()
        waiting = [path for path in paths if path in self.evidence]
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self.evidence[path].needs
        return found

    @cached_property
    def turns(self) -> dict[Path, int]:
        """The order in which timing jobs run, by path: negative priorities, so that all other jobs come first.

        The order is shuffled by a seed of its own, the same for every campaign, so that slow drift of the machine does
        not fall on one candidate. The control's records stand at the start, in the middle and at the end.
        """
        start, middle, end = (self.own(f"control_{moment}") for moment in ("start", "middle", "end"))
        paths = sorted(path for path in self.evidence if self._is_record(path) and path not in (start, middle, end))
        random.Random(ORDER_SEED).shuffle(paths)
        half = len(paths) // 2
        order = [start, *paths[:half], middle, *paths[half:], end]
        return {path: -turn for turn, path in enumerate(order, 1)}

    def _is_record(self, path: Path) -> bool:
        return path.relative_to(self.results).parts[0] == "records"

    # This host.

    @cached_property
    def facts(self) -> dict:
        """Facts of this host, read once."""
        return host.facts(self.settings.system)

    @property
    def clock_option(self) -> str:
        """The driver's option for a fixed clock: batches that ran at another count as disturbed."""
        facts = self.facts
        fixed = facts["governor"] == "performance" and facts["boost"] == "off" and facts["scaling_max_khz"]
        return f"--clock-hz {facts['scaling_max_khz']}000" if fixed else ""

    @property
    def cpu(self) -> int:
        """The CPU that timing jobs are pinned to."""
        return self.facts["cpu"]
