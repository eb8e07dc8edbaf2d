"""What a person may ask for, and the sentence that answers a mistake."""

import pytest

from ngcc_campaign.campaign import settings
from ngcc_campaign.common.errors import Mistake

BASE = {"system": "local", "candidates": ["iccs", "fips"], "catalog": [], "archives": None}


def load(**changes):
    return settings.load(BASE | changes)


def test_the_default_plan_is_the_system_s_own():
    assert str(load().plan) == (
        "5 trials of 0.1 s, and more until the mean is known to 1 %, at most 3 times as long and 900 s a record"
    )


def test_lists_come_as_lists_or_with_commas():
    assert [one.id for one in load(candidates="fips,iccs").candidates] == ["fips", "iccs"]
    assert [one.id for one in load(candidates=["fips", "fips"]).candidates] == ["fips", "yardstick"]
    assert {"fips", "iccs"} <= {one.id for one in load(candidates="all").candidates}


def test_a_plan_of_one_s_own():
    plan = load(trials=3, target_seconds=0.01).plan
    assert (plan.trials, plan.target_seconds) == (3, 0.01)
    assert plan.options == ("--trials 3 --target-seconds 0.01 --budget-seconds 900 --precision 0.01 --patience 3")


# As YAML has it in `&x [*x]`.
ENDLESS: list = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"candidats": "iccs"}, "unknown key 'candidats'; did you mean 'candidates'?"),
        ({"candidates": ""}, "candidates: empty"),
        ({"candidates": None}, "candidates: empty"),
        ({"candidates": []}, "candidates: empty"),
        ({"candidates": ["nosuch"]}, "there is no 'nosuch'; known: fips, .*iccs"),
        ({"candidates": 5}, "candidates: found 5; expected: ids with commas"),
        ({"system": "nosuch"}, "there is no 'nosuch' in config/systems; known: .*local"),
        ({"system": "../local"}, r"system: '\.\./local' does not match; expected: the id of a file in config/systems$"),
        ({"kat": "x" * 5000}, "kat: 'x{199}… is not one of"),
        ({"x" * 5000: 1}, "unknown key 'x{200}'"),
        ({"trials": 3.0}, "trials: found 3.0; expected: a whole number from 1 to 100$"),
        ({"patience": 10**400}, "patience: 10{199}… is no number to work with"),
        ({"trials": 16**4000}, "trials: a number of thousands of digits is no number to work with"),
        ({"catalog": ["a\0b"]}, r"catalog\.0: 'a\\x00b' holds characters that no name has"),
        ({"archives": "\ud800"}, r"archives: '\\ud800' holds characters that no name has"),
        ({"kat\x1b[2J": 1}, r"unknown key 'kat\\x1b\[2J'; did you mean 'kat'"),
        ({"compiler": ENDLESS}, r"compiler\.0\.0.*: it is nested too deeply"),
        ({"kat": "fast"}, "kat: 'fast' is not one of"),
        ({"sandbox": "off"}, "sandbox: 'off' is not one of.*'best' or 'require'"),
        ({"trials": 0}, "trials: 0 is less than"),
        ({"trials": "many"}, "trials: found 'many'; expected: a whole number from 1 to 100$"),
        ({"target_seconds": float("nan")}, "target_seconds"),
        ({"archives": "/nonexistent"}, "archives: '/nonexistent' is no folder"),
        ({"catalog": "/nonexistent"}, "catalog: '/nonexistent' is no folder"),
        ({"archives": "x" * 300}, "archives: 'x{300}' is no folder"),
        ({"catalog": "x" * 300}, "catalog: 'x{300}' is no folder"),
        ({"retime": "iccs"}, "retime: 'iccs': expected candidate/instance"),
        ({"retime": "iccs/nosuch"}, "no instance 'nosuch'; it has sm3hash-256"),
        ({"retime": "hash-99/x"}, "'hash-99' is not among"),
    ],
)
def test_a_mistake_gets_one_sentence(changes, sentence):
    with pytest.raises(Mistake, match=sentence) as caught:
        load(**changes)
    assert "\n" not in str(caught.value)
