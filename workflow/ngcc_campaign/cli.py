"""The command line: one subcommand a stage, and nothing but reading arguments."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .common.errors import Mistake
from .common.printable import printable
from .common.processes import end_with_run


def main(arguments: list[str] | None = None) -> int:
    """Run one stage by hand or for the workflow. Exit status: 0 done, 1 a person's mistake, 2 a wrong command line."""
    end_with_run()
    options = _parser().parse_args(arguments)
    try:
        return options.stage(options) or 0
    except Mistake as mistake:
        print(f"ngcc-campaign: {printable(mistake)}", file=sys.stderr)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        print(f"ngcc-campaign: {name}{error.strerror or error}.", file=sys.stderr)
    except KeyboardInterrupt:
        print("ngcc-campaign: stopped.", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ngcc-campaign",
        description="The stages of a campaign, each a command of its own. `snakemake --cores 1` runs them all.",
        epilog="The drivers ngcc_perf, ngcc_kat and ngcc_memory lie in results/<system>/bin and have --help too.",
    )
    stages = parser.add_subparsers(metavar="STAGE", required=True)
    for stage, text, add in (
        (_host, "what machine is this, and is it fit to measure?", _host_options),
        (_plan, "how long will a campaign take?", _plan_options),
        (_drivers, "build the native programs", _drivers_options),
        (_fetch, "are these the submitted sources?", _fetch_options),
        (_build, "which library comes of the sources, by which commands?", _build_options),
        (_verify, "does the library compute the submitted vectors?", _verify_options),
        (_memory, "how much memory does it take?", _memory_options),
        (_aggregate, "what do the raw observations amount to?", _aggregate_options),
        (_render, "what does a person read?", _render_options),
        (_audit, "do the pages follow from the evidence?", _audit_options),
        (_bundle, "all evidence of a system in one file", _bundle_options),
        (_compare, "did anything become slower, and by how much?", _compare_options),
        (_onboard, "draft a candidate file and its KAT manifest from an archive", _onboard_options),
    ):
        name = stage.__name__.removeprefix("_")
        one = stages.add_parser(name, help=text, description=f"{name}: {text}")
        add(one)
        one.set_defaults(stage=stage)
    return parser


def _evidence(parser: argparse.ArgumentParser, example: str, required: bool = True) -> None:
    """Options of every stage that leaves evidence."""
    parser.add_argument("--output", type=_file, required=required, metavar="FILE", help=f"what to write: {example}")
    parser.add_argument(
        "--from", dest="made_from", type=_pair, action="append", default=[], metavar="NAME=VALUE",
        help="what the evidence is made from; the workflow compares it to tell what is stale",
    )  # fmt: skip


def _file(text: str) -> Path:
    if os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"'{text}' is a folder; expected the name of a file to write")
    return Path(text)


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not name or not separator:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, found {text!r}")
    return name, value


def _candidate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("candidate", type=Path, metavar="CANDIDATE.yaml", help="the candidate file")


def _archives(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--archives", type=Path, metavar="FOLDER", help="a folder of archives already downloaded")


def _compiler(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--compiler", default="gcc", metavar="COMMAND", help="the C compiler (default: gcc)")


def _sandbox(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sandbox", choices=["best", "require"], default="best",
        help="shut candidate code in as far as this host can (best, the default), or wholly or not at all (require)",
    )  # fmt: skip


def _system(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", default="local", metavar="ID", help="a profile in config/systems (default: local)")


def _host_options(parser: argparse.ArgumentParser) -> None:
    _system(parser)
    _evidence(parser, "results/<system>/host.json, fit or not; without it a table is printed", required=False)
    parser.epilog = "Exit status of the table: 0 only where all fits."


def _host(options: argparse.Namespace) -> int:
    from .campaign.settings import load_system
    from .host import host

    system = load_system(options.system)
    if options.output:
        host.host(system, options.output, dict(options.made_from))
        return 0
    text, fits = host.shown(host.facts(system), system)
    print(text)
    return 0 if fits else 1


def _plan_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", type=Path, nargs="?", help="the system's results, for known costs (default: results/<system>)"
    )
    _system(parser)
    parser.add_argument(
        "--candidates", nargs="+", type=Path, metavar="CANDIDATE.yaml", help="candidate files (default: the system's)"
    )


def _plan(options: argparse.Namespace) -> None:
    from .campaign import duration
    from .campaign.catalog import load_candidate
    from .campaign.evidence import hindrance
    from .campaign.holdings import Holdings
    from .campaign.settings import load
    from .host import host

    results = options.results or Path("results") / options.system
    settings = load({"system": options.system, "candidates": "default"})
    candidates = [load_candidate(file) for file in options.candidates or ()] or settings.candidates
    duration.check(results, options.system)
    holdings = Holdings(settings, lambda: host.facts(settings.system))
    told = hindrance(settings.system, holdings, unfit_host=settings.unfit_host)
    shares = duration.estimate(candidates, settings.plan, system=options.system, results=results)
    print(duration.table(shares, settings.plan))
    if not (results / "records").is_dir():
        print(f"{results} holds no records, so no cost is known from there.")
    if told:
        print(told)


def _drivers_options(parser: argparse.ArgumentParser) -> None:
    _compiler(parser)
    _sandbox(parser)
    parser.add_argument("--cross", action="store_true", help="the compiler is one for AArch64: run them by an emulator")
    _evidence(parser, "results/<system>/bin/drivers.json; the programs go beside it")


def _drivers(options: argparse.Namespace) -> None:
    from .build.drivers import drivers

    drivers(
        compiler_command=options.compiler,
        output=options.output,
        made_from=dict(options.made_from),
        cross=options.cross,
        sandbox=options.sandbox,
    )


def _fetch_options(parser: argparse.ArgumentParser) -> None:
    _candidate(parser)
    _archives(parser)
    parser.add_argument(
        "--keep-going", action="store_true", help="exit 0 although nothing was fetched: the file says so"
    )
    _evidence(parser, "results/<system>/fetch/<candidate>.json")


def _fetch(options: argparse.Namespace) -> int:
    from .campaign.catalog import load_candidate
    from .fetch.fetch import fetch

    candidate = load_candidate(options.candidate)
    results = _results(options.output, 2)
    document = fetch(
        candidate,
        sources=results.parent / "sources" / candidate.id,
        archives=options.archives,
        downloads=results.parent / "archives",
        output=options.output,
        made_from=dict(options.made_from),
    )
    if document["outcome"] == "FETCHED":
        return 0
    print(f"ngcc-campaign: {candidate.id}: {printable(document['reason'])}", file=sys.stderr)
    return 0 if options.keep_going else 1


def _build_options(parser: argparse.ArgumentParser) -> None:
    _candidate(parser)
    parser.add_argument("instance", help="the instance's name")
    _compiler(parser)
    _sandbox(parser)
    parser.add_argument("--fetch", type=Path, required=True, metavar="FILE", help="what the fetch stage wrote")
    _evidence(parser, "results/<system>/build/<candidate>/<instance>/build.json")


def _build(options: argparse.Namespace) -> None:
    from .build.build import build
    from .campaign.catalog import load_candidate

    candidate = load_candidate(options.candidate)
    unpacked = _results(options.output, 4).parent / "sources" / candidate.id
    build(
        candidate.instance(options.instance),
        sources=candidate.archive.path if candidate.archive.in_place else unpacked,
        fetched=options.fetch,
        compiler_command=options.compiler,
        output=options.output,
        made_from=dict(options.made_from),
        sandbox=options.sandbox,
    )


def _verify_options(parser: argparse.ArgumentParser) -> None:
    _candidate(parser)
    parser.add_argument("instance", help="the instance's name")
    _archives(parser)
    parser.add_argument(
        "--kat", choices=["quick", "full"], default="quick",
        help="quick: KAT_2_12 and KAT_2_23, seconds; full: also KAT_2_33 and KAT_Loop, hours and 1.2 GiB of memory",
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=float, default=60, help="time limit of each quick KAT file (default: 60; full ones have 6 h)"
    )
    _sandbox(parser)
    parser.add_argument("--build", type=Path, required=True, metavar="FILE", help="what the build stage wrote")
    _evidence(parser, "results/<system>/kat/<candidate>/<instance>.json")


def _verify(options: argparse.Namespace) -> None:
    from .campaign.catalog import load_candidate
    from .verify.verify import verify

    candidate = load_candidate(options.candidate)
    verify(
        candidate,
        candidate.instance(options.instance),
        level=options.kat,
        seconds=options.seconds,
        archives=options.archives,
        results=_results(options.output, 3),
        built=options.build,
        output=options.output,
        made_from=dict(options.made_from),
        sandbox=options.sandbox,
    )


def _memory_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verdict", type=Path, required=True, metavar="FILE", help="what the verify stage wrote")
    _sandbox(parser)
    _evidence(parser, "results/<system>/memory/<candidate>/<instance>.json")


def _memory(options: argparse.Namespace) -> None:
    from .memory.memory import memory

    results, made_from = _results(options.output, 3), dict(options.made_from)
    memory(results, options.verdict, options.output, made_from, sandbox=options.sandbox)


def _results_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", type=Path, help="the system's results, as in results/local")


def _aggregate_options(parser: argparse.ArgumentParser) -> None:
    _results_option(parser)
    parser.add_argument(
        "--candidates", nargs="+", metavar="CANDIDATE.yaml", help="candidate files (default: all that are stored)"
    )
    parser.add_argument(
        "--evidence", choices=["measured", "stored"], default="stored", help="what pages call it (default: stored)"
    )
    parser.add_argument("--published", type=Path, metavar="FOLDER", help="make the tables from published figures")
    parser.add_argument("--statement", default="", metavar="TEXT", help="why this evidence, for the pages")


def _aggregate(options: argparse.Namespace) -> None:
    from .aggregate.aggregate import aggregate, aggregate_published
    from .campaign.catalog import load_candidate

    candidates = [load_candidate(Path(file)) for file in options.candidates or ()]
    if options.published:
        aggregate_published(options.results, options.published, candidates, options.statement)
    else:
        aggregate(_stored(options.results), candidates or None, options.evidence, options.statement)


def _render_options(parser: argparse.ArgumentParser) -> None:
    _results_option(parser)
    parser.add_argument(
        "--compare", metavar="ID", help="a named system whose published cycles are set beside the measured ones"
    )


def _render(options: argparse.Namespace) -> None:
    from .campaign.made import check
    from .campaign.settings import named_systems
    from .render.render import render

    check(options.results / "tables", "aggregate")
    render(options.results, systems=named_systems()[::-1], compare=options.compare)


def _audit_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("where", type=Path, metavar="FOLDER|BUNDLE", help="results/<system>, or a bundle of it")
    parser.epilog = (
        "Needs neither sources nor a compiler. Beside a folder's host.json it leaves audit.json. Exit status: 0 only"
        " where nothing is wrong. docs/audit.md says what is checked."
    )


def _audit(options: argparse.Namespace) -> int:
    from .audit import audit

    return audit.report(options.where)


def _bundle_options(parser: argparse.ArgumentParser) -> None:
    _results_option(parser)
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="what to write: <system>.zip")
    parser.add_argument("--no-binaries", action="store_true", help="leave out programs and libraries")
    parser.epilog = "The same evidence gives the same bytes. What the audit finds fault with is not bundled."


def _bundle(options: argparse.Namespace) -> None:
    from .bundle import bundle

    print(bundle.bundle(options.results, options.output, binaries=not options.no_binaries))


def _compare_options(parser: argparse.ArgumentParser) -> None:
    for side in ("baseline", "candidate"):
        parser.add_argument(side, metavar=side.upper(), help="a result set, see below")
    parser.add_argument(
        "--fail-above", type=_per_cent, metavar="PER_CENT",
        help="exit with 4 where a row is slower by more, beyond its interval and the noise floor",
    )  # fmt: skip
    parser.add_argument(
        "--only", action="append", default=[], metavar="ID[/INSTANCE]", help="a submission or instance; repeatable"
    )
    parser.add_argument("--csv", type=_file, metavar="FILE", help="also write the rows as CSV")
    parser.add_argument("--json", type=_file, metavar="FILE", help="also write the comparison as JSON")
    parser.add_argument("--html", type=Path, metavar="FOLDER", help="also write pages, below en/ and zh/ there")
    parser.epilog = (
        "A result set is a system whose tables lie in results/ (local), a results folder (./old), a bundle (old.zip),"
        " or published figures (published:x86_1). Exit status: 0 no such slow-down, 4 one, 1 or 2 a mistake."
        " docs/compare.md says when a row counts as changed."
    )


def _per_cent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected per cent, a number from 0 as in 5, found {text!r}")
    return value


def _compare(options: argparse.Namespace) -> int:
    from .compare.compare import compare

    return compare(
        options.baseline,
        options.candidate,
        options.only,
        options.fail_above,
        csv_file=options.csv,
        json_file=options.json,
        html_folder=options.html,
    )


def _onboard_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="a submission's ZIP, or its directory; only read")
    parser.add_argument("--id", metavar="ID", help="the candidate's id (default: made from the archive's name)")
    parser.add_argument(
        "--output", type=Path, default=Path(), metavar="FOLDER", help="where the files go (default: here)"
    )
    parser.epilog = "Exit status: 0 a complete draft, 3 a draft with something for a person to decide, 1 a mistake."


def _onboard(options: argparse.Namespace) -> int:
    from .onboard.onboard import onboard

    draft = onboard(options.archive, options.id, options.output)
    for file in filter(None, (draft.candidate, draft.manifest)):
        print(f"wrote {file}")
    for note in draft.notes:
        print(f"note: {printable(note)}")
    for decision in draft.decisions:
        print(f"decide: {printable(decision)}")
    return 3 if draft.decisions else 0


def _stored(results: Path) -> Path:
    if not (results / "host.json").is_file():
        raise Mistake(f"{results}: no results of a campaign (host.json is not there).")
    return results


def _results(output: Path, depth: int) -> Path:
    """The system's results folder, `depth` levels above an output's own place in it."""
    absolute = Path.cwd() / output
    results = absolute.parents[depth - 1]
    return Path(*output.parts[:-depth]) if len(output.parts) > depth else results


if __name__ == "__main__":
    sys.exit(main())
