"""Snakemake without the second that importing it takes: each run is a fork of one process that has imported it."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path


class Preloaded:
    """The process that has imported Snakemake; it ends with ours."""

    def __init__(self) -> None:
        command = [sys.executable, __file__]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        atexit.register(self.end)

    def run(self, command: list[str], env: dict[str, str], seconds: float) -> tuple[int, str]:
        """Exit status, and what was written to standard output and then to standard error, as of a process of its own.

        Raises subprocess.TimeoutExpired after `seconds`.
        """
        with tempfile.TemporaryDirectory() as folder:
            out, err = (Path(folder, name) for name in ("out", "err"))
            request = {"command": command, "env": env, "cwd": os.getcwd(), "out": str(out), "err": str(err)}
            print(json.dumps(request), file=self.process.stdin, flush=True)
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                self.end()
                raise subprocess.TimeoutExpired(command, seconds, out.read_bytes(), err.read_bytes())
            return int(self.process.stdout.readline()), out.read_text() + err.read_text()

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def serve() -> None:
    """Fork a Snakemake for each line of standard input; answer with its exit status."""
    import snakemake.cli
    import yaml  # noqa: F401

    for line in sys.stdin:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            become(json.loads(line))
            sys.exit(snakemake.cli.main())
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def become(request: dict) -> None:
    """Take on arguments, environment, folder and streams of a run."""
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv[:] = request["command"]
    tempfile.tempdir = None
    for number, name, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["out"], os.O_WRONLY | os.O_CREAT),
        (2, request["err"], os.O_WRONLY | os.O_CREAT),
    ):
        file = os.open(name, flags, 0o600)
        os.dup2(file, number)
        os.close(file)


if __name__ == "__main__":
    serve()
