"""Which evidence a report is made from: a case each."""

import re
from dataclasses import dataclass

import pytest

from ngcc_campaign.campaign.evidence import decide, decide_unmeasured, hindrance
from ngcc_campaign.common.errors import Mistake

OTHER = [{"fact": "processor", "expected": "Oryon", "found": "AMD EPYC", "advice": "…"}]
FIT: list[dict] = []
ARM_1 = {"id": "arm_1"}


@dataclass
class Holdings:
    """What there is; the host, of which nothing can be told where `host` is None."""

    host: list[dict] | None
    no_stored: str
    no_published: str

    @property
    def deviations(self) -> list[dict]:
        if self.host is None:
            raise Mistake("the host was looked at")
        return self.host


def holdings(deviations, stored, published) -> Holdings:
    return Holdings(deviations, "" if stored else "nothing is stored", "" if published else "nothing is published")


def decided(asked="auto", deviations=OTHER, unfit_host="refuse", stored=False, published=False):
    return decide(asked, ARM_1, holdings(deviations, stored, published), unfit_host=unfit_host)


def unmeasured(asked="auto", stored=False, published=False):
    return decide_unmeasured(asked, ARM_1, holdings(None, stored, published))


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param({"deviations": FIT}, "measured", id="the host is the system"),
        pytest.param({"deviations": FIT, "stored": True, "published": True}, "measured", id="measuring goes first"),
        pytest.param({"stored": True, "published": True}, "stored", id="another host, stored records"),
        pytest.param({"published": True}, "published", id="another host, nothing stored"),
        pytest.param({"unfit_host": "allow", "stored": True}, "measured", id="unfit and allowed"),
        pytest.param({"asked": "measure", "deviations": FIT}, "measured", id="measure, fit"),
        pytest.param({"asked": "measure", "unfit_host": "allow"}, "measured", id="measure, unfit and allowed"),
        pytest.param({"asked": "stored", "deviations": FIT, "stored": True}, "stored", id="stored though fit"),
        pytest.param({"asked": "published", "deviations": FIT, "published": True}, "published", id="published, fit"),
        pytest.param({"asked": "published", "stored": True, "published": True}, "published", id="published, stored"),
    ],
)  # fmt: skip
def test_kind(case, expected):
    assert decided(**case).kind == expected


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        pytest.param({"asked": "measure", "stored": True}, "expected Oryon, found AMD EPYC", id="measure"),
        pytest.param({"asked": "stored", "published": True}, "evidence=stored: nothing is stored; copy", id="stored"),
        pytest.param({"asked": "published", "stored": True}, "published: nothing is published; ask", id="published"),
        pytest.param({}, r"records \(nothing is stored\) nor published figures \(nothing is published\)", id="nothing"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_a_mistake(case, sentence):
    with pytest.raises(Mistake, match=sentence):
        decided(**case)


def test_a_rehearsal_is_measured_by_an_emulator_and_says_so():
    system = {"id": "arm_1_aarch64_emulated", "cross": "aarch64"}
    found = decide("auto", system, holdings(None, True, True), unfit_host="allow")
    assert found.kind == "measured" and "no figure is a measurement" in found.statement


def test_the_statement_says_what_differs():
    for case in ({"stored": True}, {"published": True}):
        assert "processor: expected Oryon, found AMD EPYC" in decided(**case).statement
    statement = decided(published=True).statement
    assert statement.startswith("Published figures (nothing is stored); nothing was measured here, as this host is not")


@pytest.mark.parametrize("asked", ["stored", "published"])
def test_the_host_is_not_looked_at_where_it_does_not_matter(asked):
    assert decided(asked, deviations=None, stored=True, published=True).kind == asked


@pytest.mark.parametrize(
    ("case", "kind", "statement"),
    [
        ({"stored": True, "published": True}, "stored", "From records stored in results/arm_1"),
        ({"published": True}, "published", r"Published figures \(nothing is stored\); nothing was measured for this"),
        ({"asked": "stored", "stored": True}, "stored", "From records stored in results/arm_1"),
        ({"asked": "published", "stored": True, "published": True}, "published", "as evidence=published asks"),
    ],
)
def test_a_report_without_measuring_follows_what_is_asked(case, kind, statement):
    found = unmeasured(**case)
    assert found.kind == kind and re.match(f".*{statement}", found.statement)
    assert ("asks" in found.statement) is ("asked" in case and kind == "published")


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ({"asked": "measure", "stored": True}, "evidence=measure: the target `report` measures nothing"),
        ({"asked": "stored", "published": True}, "evidence=stored: nothing is stored"),
        ({"asked": "published", "stored": True}, "evidence=published: nothing is published"),
        ({}, "report: nothing is stored, and nothing is published; copy the results of a campaign of arm_1"),
    ],
)
def test_a_report_of_nothing_is_a_mistake(case, sentence):
    with pytest.raises(Mistake, match=sentence):
        unmeasured(**case)


def test_what_hinders_a_measurement_is_one_line():
    other, fit, unknown = (holdings(deviations, False, False) for deviations in (OTHER, FIT, None))
    line = hindrance(ARM_1, other, unfit_host="refuse")
    assert "not arm_1, or not in its state (processor)" in line and "\n" not in line
    assert not hindrance(ARM_1, fit, unfit_host="refuse") and not hindrance(ARM_1, unknown, unfit_host="allow")
    assert not hindrance(ARM_1 | {"cross": "aarch64"}, unknown, unfit_host="refuse")
