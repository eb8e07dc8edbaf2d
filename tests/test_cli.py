"""The stages by hand: help, wrong command lines, mistakes."""

import subprocess
import sys

import pytest

from ngcc_campaign import cli
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import write_text

STAGES = ("host", "plan", "drivers", "fetch", "build", "verify", "memory", "aggregate", "render", "compare", "onboard")


@pytest.mark.parametrize("stage", [(), *((stage,) for stage in STAGES)], ids=lambda stage: stage[0] if stage else "all")
def test_help(stage, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([*stage, "--help"])
    assert ended.value.code == 0
    assert "usage: ngcc-campaign" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nosuch"], ["fetch"], ["build", "x.yaml"]])
def test_a_wrong_command_line_exits_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fetch", "nosuch.yaml", "--output", "x.json"], "nosuch.yaml: No such file"),
        (["aggregate", "nowhere"], "nowhere: no results of a campaign"),
        (["render", "nowhere"], "nowhere/tables/campaign.csv: the table is not there"),
        (["host", "--system", "nosuch", "--output", "x.json"], "there is no 'nosuch'"),
    ],
)
def test_a_mistake_exits_1_with_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 1
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_a_plan_looks_where_the_systems_results_lie(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for arguments, results in (([], "results/local"), (["--system", "arm_1"], "results/arm_1"), (["here"], "here")):
        assert cli.main(["plan", *arguments]) == 0
        assert f"{results} holds no records, so no cost is known from there." in capsys.readouterr().out


@pytest.mark.parametrize(
    "stage",
    [["host"], ["drivers"], ["fetch", "x.yaml"], ["memory", "--verdict", "x.json"]],
    ids=lambda stage: stage[0],
)
def test_a_folder_where_a_file_is_to_be_written_is_named(stage, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([*stage, "--output", str(tmp_path)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"'{tmp_path}' is a folder; expected the name of a file to write" in said and ".tmp" not in said


def test_what_cannot_be_written_is_named_and_no_temporary_file(tmp_path):
    (tmp_path / "host.json").mkdir()
    with pytest.raises(IsADirectoryError) as error:
        write_text(tmp_path / "host.json", "x")
    assert error.value.filename == str(tmp_path / "host.json") and error.value.filename2 is None
    assert [path.name for path in tmp_path.iterdir()] == ["host.json"]
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/deeper"):
        with pytest.raises(Mistake, match="x.json: cannot be written, as a file is where its folder should be"):
            write_text(tmp_path / folder / "x.json", "x")


def test_the_installed_command_answers():
    program = [sys.executable, "-m", "ngcc_campaign.cli", "--help"]
    assert "STAGE" in subprocess.run(program, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("program", ["ngcc_perf", "ngcc_kat", "ngcc_memory"])
def test_native_programs_have_help_and_refuse_nonsense(native, program):
    helped = subprocess.run([native / program, "--help"], capture_output=True, text=True, check=True)
    assert f"{program} " in helped.stdout and "--library" in helped.stdout
    wrong = subprocess.run([native / program, "--nosuch"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and wrong.stderr
