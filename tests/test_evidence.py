"""Which evidence a report is made from: a case each."""

import pytest

from ngcc_campaign.errors import Mistake
from ngcc_campaign.evidence import decide

OTHER = [{"fact": "processor", "expected": "Oryon", "found": "AMD EPYC", "advice": "…"}]
FIT: list[dict] = []


def kind(asked="auto", deviations=OTHER, unfit_host="refuse", stored=False, published=False):
    return decide(
        asked, {"id": "arm_1"}, unfit_host=unfit_host, deviations=deviations, has_stored=stored, has_published=published
    )


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
    assert kind(**case).kind == expected


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        pytest.param({"asked": "measure", "stored": True}, "expected Oryon, found AMD EPYC", id="measure"),
        pytest.param({"asked": "stored", "published": True}, "results/arm_1 holds no records", id="nothing stored"),
        pytest.param({"asked": "published", "stored": True}, "no figures of 'arm_1'", id="nothing published"),
        pytest.param({}, "neither stored records nor published figures", id="nothing at all"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_a_mistake(case, sentence):
    with pytest.raises(Mistake, match=sentence):
        kind(**case)


def test_a_rehearsal_is_measured_by_an_emulator_and_says_so():
    system = {"id": "arm_1_aarch64_emulated", "cross": "aarch64"}
    found = decide("auto", system, unfit_host="allow", deviations=OTHER, has_stored=True, has_published=True)
    assert found.kind == "measured" and "no figure is a measurement" in found.statement


def test_the_statement_says_what_differs():
    for case in ({"stored": True}, {"published": True}):
        assert "processor: expected Oryon, found AMD EPYC" in kind(**case).statement
    assert "nothing was measured" in kind(published=True).statement
