"""What is asked of a host, and what it is: by its fitness, by the guides, and told all the same."""

import pytest

from evidence import FACTS, UNFIT, Results
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.render import guide
from reports import page, section, tables_of


def fits(
    compiler: str = "gcc 12.2.0", tool: str = "cmake version 3.31.6", clock: float | None = 2.5e9, **facts
) -> dict:
    rows = guide.rows(FACTS | facts, {compiler} - {""}, {tool}, clock)
    return {row["fact"]: row["fits"] for row in rows}


@pytest.mark.parametrize(
    ("told", "fact", "met"),
    [
        ({}, "memory", True),
        ({"memory_mib": 3814}, "memory", False),
        ({"memory_mib": None}, "memory", None),
        ({"kernel": "6.12.107+deb13-amd64"}, "kernel", True),
        ({"kernel": "4.18.0-553.el8.x86_64"}, "kernel", False),
        ({"compiler": "gcc (Debian 7.5.0-1) 12.2.0, x86_64-linux-gnu"}, "compiler", True),
        ({"compiler": "gcc (GCC) 8.5.0 20210514 (Red Hat 8.5.0-4), x86_64-redhat-linux"}, "compiler", True),
        ({"compiler": "gcc (GCC) 8.4.0, x86_64-linux-gnu"}, "compiler", False),
        ({"compiler": "Debian clang version 14.0.6, x86_64-pc-linux-gnu"}, "compiler", False),
        ({"compiler": ""}, "compiler", None),
        ({"tool": "cmake version 3.11.4"}, "build tool", True),
        ({"tool": "cmake version 3.11.3"}, "build tool", False),
        ({"clock": 1.9e9}, "clock", False),
        ({"clock": 3e9, "scaling_max_khz": 2_000_000}, "clock", False),
        ({"clock": None}, "clock", None),
    ],
)
def test_what_the_guides_ask_for(told, fact, met):
    assert fits(**told)[fact] is met


@pytest.fixture
def campaign(tmp_path):
    return Results(tmp_path / "local", unfit=UNFIT, microcode="0x1").complete("a", {"a-256": 256}).own()


def test_the_table_tells_who_asks_and_what_is_met(campaign):
    aggregate(campaign.folder, None)
    rows = {row["fact"]: row for row in tables.read(campaign.folder, "conformance")}
    told = {fact: (rows[fact]["asked_by"], rows[fact]["fits"]) for fact in rows}
    assert told["virtual machine"] == ("fitness", "no")
    assert told["core clock, measured"] == told["perf_event_paranoid"] == ("fitness", "yes")
    assert told["governor"] == told["microcode"] == ("", "")
    assert told["compiler"] == told["memory"] == ("guide", "yes")
    assert "mitigations" not in rows  # nobody asks, and nothing is known


def test_the_method_page_shows_the_host_beside_what_is_asked_of_it(campaign):
    told = section(page(campaign, "method"), "Host conformance")
    (rows,) = tables_of(told)
    assert ["virtual machine", "none", "KVM", "fitness", "not met"] in rows
    assert ["kernel", "Linux 4.19 or later", "6.1.0-1-amd64", "guide", "met"] in rows
    verdicts = [row[-1] for row in rows[1:]]
    assert f"{verdicts.count('met')} met, 1 not met." in told and verdicts.count("not met") == 1


def test_a_host_json_of_earlier_days_has_no_state(campaign):
    campaign.change("host.json", lambda host: host.update(state={"load_average": [0.5, 0.4, 0.3]} | THROTTLES))
    aggregate(campaign.folder, None)
    assert "load average" in {row["fact"] for row in tables.read(campaign.folder, "conformance")}
    campaign.change("host.json", lambda host: host.pop("state"))
    aggregate(campaign.folder, None)
    assert "load average" not in {row["fact"] for row in tables.read(campaign.folder, "conformance")}


THROTTLES = {"core_throttle_count": 0, "package_throttle_count": None}
