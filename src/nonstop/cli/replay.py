"""`nonstop replay`: compute every proposal again and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.target import locate, open_existing
from nonstop.cli.terminal import echo, echo_error, echo_json
from nonstop.wording import assignments

if TYPE_CHECKING:
    from nonstop.study import Study
    from nonstop.trials.replay import ReplayReport

#: Differences to print.
_MOST = 5


@click.command(epilog="\b\nExample:\n  nonstop replay sqlite:///runs.db demo")
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY]", shell_complete=complete_study)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(words: Sequence[str], as_json: bool) -> int:
    """Compute every proposal of a study again: all must be identical."""
    from nonstop.studies import load_study

    url, name = locate(words)
    report = _replay(load_study(open_existing(url), name))
    if as_json:
        echo_json({"identical": report.identical, **asdict(report)})
    else:
        _echo_report(report)
    return 0 if report.identical else 1


def _replay(study: Study) -> ReplayReport:
    from rich.console import Console
    from rich.progress import Progress

    from nonstop.trials.replay import replay as compute

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("replaying", total=len(study.trials))
        return compute(study.spec, study.trials, on_trial=lambda trial: progress.update(bar, completed=trial.number))


def _echo_report(report: ReplayReport) -> None:
    total = report.model_based + report.quasi_random
    kinds = f"{report.model_based} by the model, {report.quasi_random} quasi-random"
    outside = f"; {report.outside} trials were added from outside" if report.outside else ""
    if report.identical:
        echo(f"all {total} proposals are identical ({kinds}){outside}")
        return
    echo_error(f"{len(report.differences)} of {total} proposals differ ({kinds}){outside}")
    for difference in report.differences[:_MOST]:
        echo(f"trial {difference.number}: {assignments(difference.recorded)} was recorded", err=True)
        echo(f"{' ' * len(f'trial {difference.number}')}  {assignments(difference.computed)} was computed", err=True)
