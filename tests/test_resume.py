"""Killed anywhere, the same command goes on; two runs keep apart."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from workplaces import Workplace, workplace

FIPS = ("candidates=fips",)


def whole(place: Workplace) -> None:
    """Every file under a final name can be read to its end."""
    for path in place.results.rglob("*.json"):
        if not any(part.startswith(".") for part in path.relative_to(place.results).parts):
            json.loads(path.read_text())


def evidence(place: Workplace) -> set[str]:
    kept = ("kat", "records", "memory", "build", "fetch", "tables", "report")
    return {
        path.relative_to(place.results).as_posix()
        for folder in kept
        for path in (place.results / folder).rglob("*")
        if path.is_file()
    }


def drivers_at_work(place: Workplace) -> list[str]:
    """Native programs that were started from this workplace and still run."""
    found = []
    for process in os.scandir("/proc"):
        if process.name.isdigit():
            try:
                program = os.readlink(f"/proc/{process.name}/exe")
            except OSError:
                continue
            if program.startswith(str(place.results)):
                found.append(program)
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> set[str]:
    place = workplace(tmp_path_factory.mktemp("undisturbed"))
    assert place.run(config=FIPS).status == 0
    return evidence(place)


@pytest.mark.parametrize("victim", ["group", "main process"])
@pytest.mark.parametrize("seed", range(1))
def test_the_same_command_completes_a_killed_campaign(tmp_path, undisturbed, victim, seed):
    place = workplace(tmp_path / "place")
    chance = random.Random(f"{victim} {seed}")
    for _ in range(2):
        running = place.start(config=FIPS)
        time.sleep(chance.uniform(2.5, 9))
        (os.killpg if victim == "group" else os.kill)(running.pid, signal.SIGKILL)
        running.wait()
        running.stdout.close()
        whole(place)
    run = place.run(config=FIPS)
    assert run.status == 0, run.output
    assert evidence(place) == undisturbed
    whole(place)
    assert "Nothing to be done" in place.run(config=FIPS)


def test_drivers_die_with_the_run_that_started_them(tmp_path):
    place = workplace(tmp_path / "place")
    running = place.start(config=(*FIPS, "target_seconds=2"))
    deadline = time.monotonic() + 120
    while not drivers_at_work(place) or not list(place.results.glob("kat/*/*.json")):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    running.stdout.close()
    deadline = time.monotonic() + 20
    while drivers_at_work(place):
        assert time.monotonic() < deadline, drivers_at_work(place)
        time.sleep(0.05)


def test_a_second_run_is_refused_and_a_dry_run_is_allowed(tmp_path):
    place = workplace(tmp_path / "place")
    running = place.start(config=(*FIPS, "target_seconds=0.3"))
    deadline = time.monotonic() + 60
    while not (place.results / ".lock").exists() or not (place.results / "host.json").exists():
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.05)
    second = place.run(config=FIPS)
    assert second.status == 1 and "another run is at work there" in second and "Traceback" not in second
    assert place.run(config=FIPS, options=("--dry-run",)).status == 0
    os.killpg(running.pid, signal.SIGTERM)
    running.communicate()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes through every permission")
def test_results_that_cannot_be_written_are_said_before_any_work(tmp_path):
    place = workplace(tmp_path / "place")
    (place.path / "results").mkdir()
    (place.path / "results").chmod(0o555)
    run = place.run(config=FIPS)
    assert run.status == 1 and "cannot be written (Permission denied); nothing was measured" in run
    assert "Traceback" not in run


def test_no_space_left_is_said_and_what_is_done_is_kept(tmp_path):
    place = workplace(tmp_path / "place")
    assert place.run(config=FIPS).status == 0
    victim = place.results / "records" / "fips" / "SHA-512__hash_32.json"
    before = victim.read_text()
    command = " ".join(f"'{part}'" for part in place.command(config=(*FIPS, "retime=fips/SHA-512")))
    # Files of at most 4 KiB: no record fits. Snakemake's own log and metadata are smaller.
    done = subprocess.run(["bash", "-c", f"ulimit -f 4; exec {command}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert victim.read_text() == before, "the old record outlives a re-time that failed"
    whole(place)
    run = place.run(config=FIPS)
    assert run.status == 0 and evidence(place)


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> Workplace:
    place = workplace(tmp_path_factory.mktemp("done"))
    assert place.run(config=FIPS).status == 0
    return place


@pytest.fixture
def place(done, tmp_path) -> Workplace:
    shutil.copytree(done.path, tmp_path / "place", symlinks=True)
    return Workplace(tmp_path / "place")


def test_what_is_gone_is_made_again(place, done):
    """Also what lies behind tables that are newer: a kill removes nothing for good."""
    results = place.results
    for gone in (
        "host.json", "fetch/fips.json", "kat/fips/SHA-512.log", "records/empty_call.json", "tables/kat.csv",
        "memory/fips/SHA3-512.json", "bin/ngcc_perf", "build/fips/SHA3-512/build.json", "report/method.md",
    ):  # fmt: skip
        (results / gone).unlink()
    shutil.rmtree(results / "records" / "fips")
    run = place.run(config=FIPS)
    assert run.status == 0, run.output
    assert evidence(place) == evidence(done)
    assert run.jobs["measure"] == 16 and run.jobs["build"] == 1
    assert "Nothing to be done" in place.run(config=FIPS)


def test_what_is_damaged_is_made_again(place):
    library = place.results / "build" / "fips" / "SHA-512" / "guide" / "libSHA-512.so"
    library.write_bytes(library.read_bytes() + b"x")
    (place.results / "tables" / "missing.csv").write_text("")
    (place.results / "report" / "index.md").write_text("")
    run = place.run(config=FIPS)
    assert run.status == 0 and run.jobs["build"] == 1 and "measure" not in run.jobs, run.output
    assert (place.results / "report" / "index.md").stat().st_size > 0
    assert "Nothing to be done" in place.run(config=FIPS)


@pytest.mark.parametrize("options", [("-R", "verify"), ("-R", "memory"), ("-R", "build"), ("-F",)], ids=" ".join)
def test_what_is_forced_is_made_again_and_nothing_is_lost(place, done, options):
    run = place.run("all", config=FIPS, options=options)
    assert run.status == 0, run.output
    assert evidence(place) == evidence(done)


def test_a_verdict_that_turns_bad_costs_no_figures(place):
    manifest = place.path / "resources" / "kat" / "fips.sha256"
    good = manifest.read_text()
    manifest.write_text(
        "".join(("0" * 64 + line[64:]) if "SHA-512.txt" in line else line for line in good.splitlines(True))
    )
    for _ in range(2):
        run = place.run(config=FIPS)
        assert run.status == 3 and "missing: fips/SHA-512: MISMATCH" in run
        assert "measure" not in run.jobs
    manifest.write_text(good)
    run = place.run(config=FIPS)
    assert run.status == 0 and "measure" not in run.jobs and run.jobs["verify"] == 1


def test_a_page_by_its_name_does_not_rest_on_stale_evidence(place):
    source = next((place.path / "resources" / "bundled" / "fips").rglob("SHA-512/*.c"))
    source.write_text(source.read_text() + "\n")
    run = place.run("results/local/report/fips.md", config=FIPS)
    assert run.status == 0 and run.jobs["measure"] == 8


def test_a_killed_compiler_is_no_verdict(place, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    real = shutil.which("gcc")
    (tools / "gcc").write_text(
        '#!/bin/sh\ncase "$*" in *-std=c99*) echo "error: Killed signal terminated program cc1" >&2; exit 1;; esac'
        f'\nexec {real} "$@"\n'
    )
    (tools / "gcc").chmod(0o755)
    source = next((place.path / "resources" / "bundled" / "fips").rglob("SHA-512/*.c"))
    source.write_text(source.read_text() + "\n")
    env = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    place.run("results/local/build/fips/SHA-512/build.json", config=FIPS, env=env)
    assert json.loads((place.results / "build/fips/SHA-512/build.json").read_text())["retry"]
    run = place.run(config=FIPS)
    built = json.loads((place.results / "build/fips/SHA-512/build.json").read_text())
    assert run.status == 0 and built["variants"][0]["built"] and not built["retry"]
