"""What a report of one system could be made from here: this host, the records stored, the figures published."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from ..aggregate import stored
from ..aggregate.stored import StoredCampaign
from ..common.errors import Mistake
from ..common.files import read_json
from ..host import host
from ..published import published
from . import evidence
from .settings import YARDSTICK, Settings


class Holdings:
    """What the decision on evidence rests on (module evidence); each is looked at once, when it is asked for."""

    def __init__(self, settings: Settings, facts: Callable[[], dict]) -> None:
        """`facts` gives those of this host (host.facts)."""
        self._settings, self._facts = settings, facts
        self._asked = [one.id for one in settings.candidates if one.id != YARDSTICK] or [YARDSTICK]

    @cached_property
    def deviations(self) -> list[dict]:
        return host.unfit(self._facts(), self._settings.system)

    @cached_property
    def no_stored(self) -> str:
        """Stored records count where host.json is of the system, and its machine is that, where all files can be
        read, and one gives a figure."""
        settings = self._settings
        results, system = settings.results, settings.system["id"]
        names = ["*"] if settings.is_open else self._asked
        if not any(path for name in names for path in (results / "records").glob(f"{name}/*.json")):
            return f"{results} holds no records" + ("" if settings.is_open else f" of {', '.join(self._asked)}")
        if not (results / "host.json").is_file():
            return f"{results / 'host.json'} is not there, without which the records beside it do not count"
        try:
            if other := other_system(results, system):
                return other
            campaign = stored.read_campaign(results, None if settings.is_open else settings.candidates, remedy="")
            return _not_the_machine(campaign, results) or _no_figure(campaign, results)
        except Mistake as mistake:
            return str(mistake).rstrip("; .")

    @cached_property
    def no_published(self) -> str:
        """Figures must be published of one candidate that is asked for. Raises Mistake where they are damaged."""
        system = self._settings.system["id"]
        folder = published.FOLDER / system
        if not folder.is_dir():
            return f"no figures of '{system}' are in resources/published"
        there = {candidate for candidate, _, _ in published.read(folder).performance}
        if there & set(self._asked):
            return ""
        known = ", ".join(stored.in_order(there)) or "nobody"
        return f"resources/published/{system} has no figures of {', '.join(self._asked)}, but those of {known}"


def other_system(results: Path, system: str) -> str:
    """That the evidence below `results` is another system's, as part of a sentence; empty where it is not."""
    if not (results / "host.json").exists():
        return ""
    found = read_json(results / "host.json", "").get("system")
    own = f"{results / 'host.json'} is of system {found}, not of {system}"
    return "" if found == system else f"{own}, so the evidence beside it does not count"


def _not_the_machine(campaign: StoredCampaign, results: Path) -> str:
    """That the host of the evidence is no machine of the system that it names; empty where it is one."""
    document = campaign.host.document
    if not (differing := host.other_machine(document)):
        return ""
    told = "; ".join(evidence.told(differing))
    own = f"{results / 'host.json'} tells of a machine that is not {document['system']} ({told})"
    return f"{own}, so the evidence beside it does not count"


def _no_figure(campaign: StoredCampaign, results: Path) -> str:
    """Why the records of a campaign give no figure; empty where one does, were it a single one."""
    from ..aggregate import costs  # brings numpy, which most runs of the workflow do not need

    counted = [one for one in campaign.candidates if one.id != YARDSTICK] or campaign.candidates
    reasons = []
    for candidate in counted:
        rows, _ = costs.timings(dataclasses.replace(campaign, candidates=(candidate,)))
        if any(row["status"] == "MEASURED" for row in rows):
            return ""
        reasons += [row["reason"].rstrip("; .") for row in rows]
    return f"no record in {results} gives a figure ({reasons[0] if reasons else 'no submission was fetched'})"
