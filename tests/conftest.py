"""What tests share: the native programs, and libraries compiled from tests/zoo."""

import shutil
import signal
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from forger import neighbour, sound
from ngcc_campaign.render.site import drawing
from workplaces import Workplace, workplace

ROOT = Path(__file__).resolve().parents[1]


def undrawn_picture(spec: dict | None) -> str:
    return f"<svg><!-- {drawing.origin(spec)} --><text>trial</text></svg>"


@pytest.fixture(scope="session", autouse=True)
def undrawn():
    """Plots are not drawn, which takes a second, nor is their script made, but where a test imports both by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            drawing, "begun", lambda _: nullcontext(lambda specs: lambda: {n: undrawn_picture(specs[n]) for n in specs})
        )
        patch.setattr(drawing, "script", lambda: "window.vegaEmbed = null;\n")
        yield


def pytest_configure() -> None:
    """What tests start heeds interrupts, also where the tests themselves run in the background of a shell."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def native(tmp_path_factory) -> Path:
    """A folder with ngcc_perf, ngcc_kat, ngcc_memory, libempty.so and libcontrol.so, built from native/."""
    folder = tmp_path_factory.mktemp("native")
    for arguments in (
        ["-S", ROOT / "native", "-B", folder / "build", "-G", "Ninja", "-DBUILD_TESTING=OFF"],
        ["--build", folder / "build"],
        ["--install", folder / "build", "--prefix", folder / "bin"],
    ):
        subprocess.run(["cmake", *arguments], check=True, capture_output=True)
    return folder / "bin"


@pytest.fixture(scope="session")
def zoo(tmp_path_factory):
    """zoo(name) compiles tests/zoo/<name>.c to a shared library and returns its path."""
    folder = tmp_path_factory.mktemp("zoo")

    def compiled(name: str, *options: str) -> Path:
        library = folder / f"lib{name}{len(options) and abs(hash(options))}.so"
        if not library.exists():
            source = ROOT / "tests" / "zoo" / f"{name}.c"
            command = ["gcc", "-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", *options, source, "-o", library, "-ldl"]
            subprocess.run([str(part) for part in command], check=True, capture_output=True)
        return library

    return compiled


@pytest.fixture(scope="session")
def rehearsal(tmp_path_factory) -> Workplace:
    """A workplace in which a campaign of fips was rehearsed for AArch64; for tests that know that it can be."""
    place = workplace(tmp_path_factory.mktemp("rehearsal"))
    run = place.run(config=("candidates=fips", "cross=aarch64"))
    assert run.status == 0, run.output
    return place


@pytest.fixture
def clone(tmp_path) -> Path:
    """A copy of the project's tracked and new files, without results, in a folder of its own."""
    target = tmp_path / "clone"
    ignored = shutil.ignore_patterns(".git", ".venv", ".snakemake", "__pycache__", ".*_cache", ".hypothesis", "tests")
    shutil.copytree(
        ROOT,
        target,
        ignore=lambda folder, names: {
            *ignored(folder, names),
            *([name for name in names if name != "README.md"] if Path(folder).name == "results" else []),
        },
    )
    return target


@pytest.fixture(scope="session")
def sound_results(tmp_path_factory, zoo) -> Path:
    """A results folder in which everything agrees, with another system's beside it."""
    results = tmp_path_factory.mktemp("audit") / "local"
    results.mkdir()
    sound(results, zoo("mem_zeros"))
    neighbour(results, results.with_name("other"))
    return results


@pytest.fixture
def folder(sound_results, tmp_path) -> Path:
    """A sound results folder, alone in its place: nothing of the other system that its pages show is here."""
    return Path(shutil.copytree(sound_results, tmp_path / "local"))
