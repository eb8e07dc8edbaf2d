"""The command line of ngcc_perf: help, and one sentence for each mistake."""

import os
from pathlib import Path

import pytest

from perf import Perf

GOOD = ("--library", "l.so", "--digest-bits", "256", "--bytes", "1")
MISTAKES = {
    "nothing": ((), "either --verdict or --library must be given"),
    "no-bytes": (GOOD[:4], "--bytes must be given"),
    "no-digest-bits": (GOOD[:2], "--library needs --digest-bits"),
    "verdict-and-library": (("--verdict", "k", *GOOD), "--verdict already names library"),
    "unknown": ((*GOOD, "--triols", "3"), "unknown or ambiguous option '--triols'"),
    "no-value": ((*GOOD, "--cpu"), "--cpu needs a value"),
    "argument": ((*GOOD, "extra"), "unexpected argument 'extra'"),
    "negative-bytes": ((*GOOD, "--bytes", "-1"), "--bytes: expected a whole number from 0 to 1073741824, found '-1'"),
    "huge-bytes": ((*GOOD, "--bytes", "99999999999999999999"), "--bytes: expected a whole number"),
    "trials": ((*GOOD, "--trials", "0"), "--trials: expected a whole number from 1 to 100, found '0'"),
    "hex": ((*GOOD, "--trials", "0x10"), "--trials: expected a whole number"),
    "precision": ((*GOOD, "--precision", "2"), "--precision: expected a number from 0.0001 to 1, found '2'"),
    "patience": ((*GOOD, "--patience", "nan"), "--patience: expected a number from 1 to 1000, found 'nan'"),
    "cpu": ((*GOOD, "--cpu", "one"), "--cpu: expected a whole number from 0 to 8191, found 'one'"),
    "comma": ((*GOOD, "--target-seconds", "0,1"), "--target-seconds: expected a number above 0"),
    "nan": ((*GOOD, "--budget-seconds", "nan"), "--budget-seconds: expected a number above 0"),
    "infinite": ((*GOOD, "--clock-hz", "inf"), "--clock-hz: expected a number above 0"),
    "from": ((*GOOD, "--from", "plan"), "--from: expected NAME=VALUE, found 'plan'"),
    "from-twice": ((*GOOD, "--from", "a=1", "--from", "a=2"), "--from: 'a' is given twice"),
}


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


@pytest.mark.parametrize("options, sentence", MISTAKES.values(), ids=MISTAKES)
def test_mistake(perf, options, sentence):
    error = perf.run(*options, status=2)
    assert error.startswith(f"ngcc_perf: {sentence}") and error.count("\n") == 1


def test_help_names_units_defaults_and_statuses(perf):
    text = perf.run("--help")
    for word in ("bytes", "bits", "default: 0.1", "default: 0.01", "Exit status", "Example"):
        assert word in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_version(perf):
    assert perf.run("--version").startswith("ngcc_perf ")


@pytest.fixture(params=["device", "pipe", "folder"])
def no_file(request, tmp_path):
    """Something to name that is no regular file."""
    os.mkfifo(tmp_path / "pipe")
    return {"device": Path("/dev/zero"), "pipe": tmp_path / "pipe", "folder": tmp_path}[request.param]


@pytest.mark.parametrize("option", ["--library", "--host", "--verdict"])
def test_what_is_no_regular_file_is_refused(perf, no_file, option):
    options = ("--verdict", no_file, "--bytes", 1) if option == "--verdict" else (*GOOD, option, no_file)
    assert perf.run(*options, status=1) == f"ngcc_perf: {no_file}: not a regular file.\n"


def test_absent_library(perf):
    assert perf.run(*GOOD, status=1) == "ngcc_perf: l.so: No such file or directory.\n"
