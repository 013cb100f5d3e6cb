"""`nonstop-bench`: run experiments, and make tables and figures of their results."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from nonstop.errors import NonstopError
from nonstop_bench import check as checking
from nonstop_bench import contest, experiment, records, score, tables
from nonstop_bench.aged import aged
from nonstop_bench.arena.command import arena
from nonstop_bench.case import Case
from nonstop_bench.forecast import duration, forecast
from nonstop_bench.options import COMMITTED, RESULTS, WORKERS
from nonstop_bench.origin import origin
from nonstop_bench.peers.registry import PeerError
from nonstop_bench.presets import PRESETS, Preset, preset
from nonstop_bench.records import Record, stored

_NAMES = click.argument("names", nargs=-1, required=True, metavar="EXPERIMENT...")
_SEEDS = click.option("--seeds", type=click.IntRange(1), help="How many seeds, from 0 on.  [default: the experiment's]")
_ENGINE = click.option("--engine", type=click.Choice(["local", "dask", "ray"]), default="local", show_default=True)
_ADDRESS = click.option("--address", help="The cluster's address, for Dask and Ray.")


class _Plain(click.Group):
    """Errors are one line, without a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # `nonstop-bench list | head`: click ends quietly
            raise
        except (ValueError, OSError, NonstopError, PeerError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Plain, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The paper's study: experiments on a virtual clock, their tables and their figures."""


main.add_command(arena)


@main.command("list")
@RESULTS
def listing(results: Path) -> None:
    """List the experiments, and the processor time that they take if there are results to judge by."""
    for each in PRESETS.values():
        tasks = f"{1 + len(each.also)} tasks x " if each.also else ""
        runs = f"{tasks}{len(each.rules) + len(each.peers)} x {each.seeds} seeds"
        seconds = forecast(each.cases(), stored(results, each.name))
        costs = "-" if seconds is None else f"~{duration(seconds)}"
        click.echo(f"{each.name:36} {runs:23} {costs:>8} {each.about}")


@main.command()
@_NAMES
@_SEEDS
@click.option("--rules", help="Only these rules (or peers), with commas between them.")
@WORKERS
@_ENGINE
@_ADDRESS
@RESULTS
def run(
    names: tuple[str, ...],
    seeds: int | None,
    rules: str | None,
    workers: int | None,
    engine: str,
    address: str | None,
    results: Path,
) -> None:
    """Run experiments by name; runs that are in the result files already are skipped.

    \b
    nonstop-bench run paper/ackley-10-q8 --seeds 20
    nonstop-bench run small --seeds 2 --rules ucb,random
    """
    for chosen in [preset(name) for name in names]:
        _perform(chosen, chosen.cases(seeds, _listed(rules)), results, workers, engine, address)


def _listed(rules: str | None) -> list[str] | None:
    return [rule.strip() for rule in rules.split(",")] if rules else None


def _perform(
    chosen: Preset, cases: Sequence[Case], results: Path, workers: int | None, engine: str, address: str | None
) -> None:
    console = Console(stderr=True)
    path = results / f"{chosen.name}.jsonl"
    before, missing = stored(results, chosen.name), experiment.missing(cases, path)
    done = len(cases) - len(missing)
    _announce(chosen, missing, before, workers)
    started, ran = time.monotonic(), 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(chosen.name, total=len(cases), completed=done)
        for record in experiment.perform(cases, path, workers=workers, engine=engine, address=address):
            progress.advance(bar)
            if not console.is_terminal:
                regret = score.log_regret_at(record, record.case.ends)
                ran += 1
                left = duration((time.monotonic() - started) / ran * (len(missing) - ran))
                what = f"{record.case.label} seed {record.case.seed}: log regret {regret:.2f}"
                click.echo(f"{chosen.name} {what}, {len(missing) - ran} runs left, about {left}")
    click.echo(f"{chosen.name}: {len(cases)} runs in {path}")


def _announce(chosen: Preset, missing: Sequence[Case], before: Sequence[Record], workers: int | None) -> None:
    """Say what is to come, and whether the records that are there already are of other commits."""
    if not missing:
        return
    cores = workers or os.cpu_count() or 1
    seconds = forecast(missing, before)
    long = "" if seconds is None else f", about {duration(seconds / cores)} on {cores} core{'s' if cores > 1 else ''}"
    click.echo(f"{chosen.name}: {len(missing)} runs to do{long}")
    present = origin()
    others = sorted({record.made_by for record in before if (record.commit, record.clean) != (present.commit, True)})
    if others:
        click.echo(f"{chosen.name}: there are runs of {', '.join(others)} already, which is not the present code")


@main.command()
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@RESULTS
def pack(names: tuple[str, ...], results: Path) -> None:
    """Compress result files for the repository (all that there are, or those named).

    Runs that do not say which commit made them are left out.
    """
    for name in names or [name for name in PRESETS if (results / f"{name}.jsonl").is_file()]:
        path = results / f"{preset(name).name}.jsonl"
        click.echo(f"{name}: {records.pack(path)} runs in {path}.gz")
        if name in aged(results):
            click.echo(f"{name} is named in aged.toml: take it out, now that it was made anew")


@main.command()
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--all", "everything", is_flag=True, help="Every experiment of the paper that has results.")
@RESULTS
def table(names: tuple[str, ...], everything: bool, results: Path) -> None:
    """Print the results of experiments as Markdown, beside the numbers of the paper where it has some."""
    if everything == bool(names):
        raise click.UsageError("name experiments, or give --all")
    if everything:
        click.echo(tables.document(results), nl=False)
    for chosen in [preset(name) for name in names]:
        click.echo(contest.section(results, chosen) if chosen.also else tables.section(results, chosen))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default="benchmarks/results")
@click.option("--sample", "count", type=click.IntRange(1), default=12, show_default=True, help="How many runs.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Which ones.")
@click.option("--short", is_flag=True, help="Only the first 15 queries of the model in each.")
@WORKERS
def check(folder: Path, count: int, seed: int, short: bool, workers: int | None) -> None:
    """Make some of the runs below FOLDER again, and say which of them still hold.

    FOLDER is benchmarks/results unless given. The exit code is 1 if a run does not hold whose experiment aged.toml does
    not declare to be of an older code.
    """
    names, old = checking.experiments(folder), aged(folder)
    unknown = [name for name in names if checking.is_unknown(folder, name)]
    known = [name for name in names if name not in unknown]
    wrong = {name: f"{name} is of an unknown commit" for name in unknown if name not in old}
    wrong |= {name: f"aged.toml names {name}, which has no results" for name in set(old) - set(names)}
    for finding in checking.check(checking.sample(folder, known, count, seed), short=short, workers=workers):
        why = old.get(finding.experiment)
        click.echo(checking.line(finding, why))
        if not finding.held and why is None:
            wrong[finding.experiment] = f"a run of {finding.experiment} does not hold: make it anew, or declare it aged"
    click.echo(f"{len(unknown)} experiments are of an unknown commit and cannot be checked")
    if wrong:
        raise click.ClickException("; ".join(sorted(wrong.values())))


@main.command()
@click.argument("names", nargs=-1, metavar="[FIGURE]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("figures"),
    show_default=True,
    help="Where to write PNG and SVG files.",
)
@RESULTS
def figures(names: tuple[str, ...], out: Path, results: Path) -> None:
    """Draw the paper's figures from results (all of them, or those named)."""
    from nonstop_bench.figures.catalogue import draw_all  # matplotlib takes a second

    for path in draw_all(results, out, names or None):
        click.echo(path)


@main.command()
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@_SEEDS
@WORKERS
@RESULTS
@click.option("--rules", help="Only these rules and peers, with commas between them.")
@click.option("--only-table", is_flag=True, help="Run nothing; print the table of existing results.")
def peers(
    names: tuple[str, ...], seeds: int | None, workers: int | None, results: Path, rules: str | None, only_table: bool
) -> None:
    """Run other optimisers in the same simulator (they need their extras), and compare.

    Without names: peers/held-out. The arena has a command of its own.
    """
    chosen = [preset(name) for name in names] or [preset("peers/held-out")]
    for each in chosen:
        if not only_table:
            _perform(each, each.cases(seeds, _listed(rules)), results, workers, "local", None)
    if only_table:
        click.echo(tables.made_by(" ".join(["peers", *names, "--only-table"]), results))
    click.echo(contest.report([record for each in chosen for record in tables.stored(results, each.name)]))


@main.command("statistics")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it there instead of printing it.")
@COMMITTED
def statistics_table(out: Path | None, results: Path) -> None:
    """UCB and LogEI against every other rule, with intervals and tests, as CSV."""
    from nonstop_bench.report.pairs import all_pairs, table  # SciPy's tests take a second
    from nonstop_bench.report.results import Results

    text = table(all_pairs(Results(results)))
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@main.command()
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("docs/paper.md"),
    show_default=True,
    help="Where to write the page.",
)
@click.option("--pictures", type=click.Path(path_type=Path, file_okay=False), help="Draw its figures into this folder.")
@click.option("--pdf", type=click.Path(path_type=Path, dir_okay=False), help="Write a PDF with tables and figures.")
@COMMITTED
def report(page: Path, pictures: Path | None, pdf: Path | None, results: Path) -> None:
    """Judge the paper's claims by results: the page, and the statistics beside the results."""
    from nonstop_bench.report.write import drawn, printed, written

    for path in written(results, page):
        click.echo(path)
    for path in drawn(results, pictures) if pictures else ():
        click.echo(path)
    if pdf:
        click.echo(printed(results, pdf))


if __name__ == "__main__":
    main()
