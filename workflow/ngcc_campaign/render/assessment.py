"""Section 2 of a page: the environment of a measurement, in words made of the facts in environment.csv."""

from __future__ import annotations

from . import figures

PERIOD = "campaign start / end (UTC)"
_ARCHITECTURES = {"x86_64": "x86-64", "aarch64": "AArch64"}


def architecture(name: str) -> str:
    """The kernel's name of an architecture, as titles have it."""
    return _ARCHITECTURES.get(name, name)


class Facts:
    """The facts of the host, and those of one candidate's builds and records (or, without one, of the campaign's)."""

    def __init__(self, environment: list[dict[str, str]], candidate: str = "") -> None:
        self._rows = [row for row in environment if row["source"] == "host" or row["candidate"] == candidate]

    def host(self, fact: str) -> str:
        """A fact of the host; empty where the system does not tell."""
        return "".join(self._values("host", fact))

    def records(self, fact: str) -> list[str]:
        """Every distinct value among the records that gave figures."""
        return self._values("record", fact)

    def builds(self, fact: str) -> list[str]:
        """Every distinct value among the builds."""
        return self._values("build", fact)

    def number(self, fact: str) -> float | None:
        """A fact of the records that has one value, as a number; None where no record tells."""
        return float(self.records(fact)[0]) if self.records(fact) else None

    def counts(self, fact: str) -> list[tuple[str, int]]:
        """Distinct values among the records, each with the number of records."""
        return [(row["value"], int(row["files"])) for row in self._find("record", fact)]

    def _values(self, source: str, fact: str) -> list[str]:
        return [row["value"] for row in self._find(source, fact)]

    def _find(self, source: str, fact: str) -> list[dict[str, str]]:
        return [row for row in self._rows if row["source"] == source and row["fact"] == fact]


def rows(facts: Facts, campaign: Facts) -> list[tuple[str, str]]:
    """The rows of section 2; the period is that of the whole campaign."""
    table = [
        ("processor", processor(facts)),
        ("machine", facts.host("machine")),
        ("clock", clock(facts)),
        ("memory", f"{facts.host('memory_mib')} MiB"),
        ("OS / kernel", f"{facts.host('os')} / {kernel(facts)}"),
        ("compiler / build tool", f"{listed(facts.builds('compiler'))} / {listed(facts.builds('cmake'))}"),
        ("load average (1 min)", load(facts)),
        (PERIOD, " / ".join(period(campaign))),
    ]
    return [(name, text) for name, text in table if text]


def processor(facts: Facts) -> str:
    """Model, the CPUs that the figures come from, and the kind of core."""
    kind = f"one {facts.host('core_type')} core" if facts.host("core_type") else "one core"
    model, cpus = facts.host("cpu_model") or "unknown model", facts.records("cpu")
    if len(cpus) > 1:
        return f"{model}, CPUs {' and '.join(cpus)} (not all records ran on the same one), {kind} at a time"
    return f"{model}, CPU {cpus[0]}, {kind}" if cpus else f"{model}, nothing was timed"


def clock(facts: Facts) -> str:
    """The clock as far as the system fixes or bounds it, else as it was measured around the trials."""
    maximum, governor = facts.host("scaling_max_khz"), facts.host("governor")
    ghz = figures.clock(float(maximum) * 1000) if maximum else ""
    parts = []
    if maximum and maximum == facts.host("scaling_min_khz") and governor == "performance":
        parts.append(f"fixed {ghz} (governor performance, minimum = maximum)")
    elif maximum:
        parts.append(f"max {ghz}, governor {governor or figures.NOT_MEASURED}")
    if not maximum or "core_clock_estimate" in facts.records("cycle_source"):
        parts.append(measured_clock(facts))
    if facts.host("boost"):
        word = "turbo" if facts.host("frequency_driver").startswith("intel") else "boost"
        parts.append(f"{word} {facts.host('boost')}")
    if facts.host("smt"):
        parts.append(f"SMT {facts.host('smt').replace('notsupported', 'none')}")
    if facts.host("virtual"):
        emulated = facts.host("virtual").startswith("emulated")
        parts.append(facts.host("virtual") if emulated else f"virtual machine ({facts.host('virtual')})")
    return ", ".join(parts)


def measured_clock(facts: Facts) -> str:
    low, middle, high = (facts.number(f"core_clock_{part}_hz") for part in ("min", "median", "max"))
    if middle is None:
        return "neither fixed nor measured"
    spread = f"{low / 1e9:.2f} to {figures.clock(high)}"
    return f"core clock measured around the trials: median {figures.clock(middle)}, {spread}"


def kernel(facts: Facts) -> str:
    """The host's kernel, and that of the records where it is another one."""
    release = facts.host("kernel")
    others = [kernel for kernel in facts.records("kernel") if release not in kernel]
    return f"{release} (records: {listed(others)})" if others else release


def load(facts: Facts) -> str:
    """How busy the machine was when records began, at most."""
    highest = facts.number("load_average_max")
    return "" if highest is None else f"at most {highest:.2f} when a record began"


def period(facts: Facts) -> list[str]:
    """First start and last end among the records; empty where there is none."""
    return [moment.removesuffix("Z") for fact in ("started_utc", "ended_utc") for moment in facts.records(fact)]


def dates(facts: Facts) -> str:
    """The day or days of the records."""
    return " – ".join(dict.fromkeys(moment[:10] for moment in period(facts))) or "no record"


def listed(values: list[str]) -> str:
    return ", ".join(values) or figures.NOT_MEASURED
