"""Children are bounded, ended as a group, and die with their parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.processes import run

PACKAGE = Path(__file__).parents[1] / "workflow"


def shell(folder, script: str, seconds: float = 60, **options):
    return run(["sh", "-c", script], cwd=folder, seconds=seconds, **options)


def wait_for(condition) -> bool:
    """Give the system 10 s to make `condition` true."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def gone(pid: int) -> bool:
    """Ended; reaped or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_output_and_status(tmp_path):
    completed = shell(tmp_path, "echo out; echo err >&2; pwd; exit 7")
    assert completed.stdout == f"out\n{tmp_path}\n".encode()
    assert (completed.returncode, completed.stderr, completed.timed_out) == (7, b"err\n", False)


def test_a_signal_is_a_negative_status(tmp_path):
    assert shell(tmp_path, "kill -SEGV $$").returncode == -signal.SIGSEGV


def test_standard_output_can_go_to_a_file(tmp_path):
    assert shell(tmp_path, "echo out", stdout=tmp_path / "log").stdout == b""
    assert (tmp_path / "log").read_text() == "out\n"


def test_c_locale_no_input_and_what_is_added_to_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("KEPT", "yes")
    completed = shell(tmp_path, "cat; echo $LC_ALL $KEPT $ADDED", env={"ADDED": "too"})
    assert completed.stdout == b"C yes too\n"


def test_time_out_ends_the_whole_group(tmp_path):
    completed = shell(tmp_path, "sleep 600 & echo $! $$; wait", seconds=0.3)
    assert completed.timed_out
    assert completed.returncode == -signal.SIGKILL
    assert all(wait_for(lambda pid=int(pid): gone(pid)) for pid in completed.stdout.split())


def test_what_a_child_leaves_behind_is_ended_too(tmp_path):
    completed = shell(tmp_path, "sleep 600 & echo $!")
    assert completed.returncode == 0
    assert wait_for(lambda: gone(int(completed.stdout)))


def test_a_grandchild_that_leaves_the_group_holds_nobody_up(tmp_path):
    (tmp_path / "stray.py").write_text(
        "import os, pathlib, time\nos.setsid()\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    completed = shell(tmp_path, f"{sys.executable} stray.py & while ! [ -s pid ]; do sleep 0.02; done; echo done")
    stray = int((tmp_path / "pid").read_text())
    assert completed.stdout == b"done\n"
    assert not gone(stray)
    os.kill(stray, signal.SIGKILL)


def test_a_child_dies_with_its_parent(tmp_path):
    script = (
        "from pathlib import Path; from ngcc_campaign.common.processes import run;"
        "run(['sh', '-c', 'echo $$ > pid; mv pid child; exec sleep 600'], cwd=Path('.'), seconds=600)"
    )
    environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=environment)
    assert wait_for((tmp_path / "child").exists)
    child = int((tmp_path / "child").read_text())
    assert not gone(child)
    parent.kill()
    parent.wait()
    assert wait_for(lambda: gone(child))


@pytest.mark.parametrize("command", ["no-such-program", "./no-such-program"])
def test_a_program_that_is_not_there_is_a_mistake(tmp_path, command):
    with pytest.raises(Mistake, match=f"^{command}: cannot be run in "):
        run([command], cwd=tmp_path, seconds=5)
