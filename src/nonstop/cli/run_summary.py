"""The summary at the end of a run: best trial, number of trials, where the time went, and the next command to type."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonstop.cli.leaders import echo_front, echo_leaders, leaders_of
from nonstop.cli.study_summary import (
    believed_line,
    believed_of,
    counts_line,
    counts_of,
    echo_failures,
    failures_of,
    notes_line,
    usage_line,
    usage_of,
)
from nonstop.cli.target import VARIABLE
from nonstop.cli.terminal import echo, echo_error, echo_json
from nonstop.wording import duration, printable, without_passwords, word_without_passwords

if TYPE_CHECKING:
    from nonstop.study import Study
    from nonstop.trials.until import Until
    from nonstop.workers.usage import Usage

#: The `state` of each exit code; every other code means interrupted.
_STATES = {0: "finished", 1: "failed"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the workers ended."""

    #: The exit code of the command.
    code: int
    #: Why the run ended early; None if it did not.
    reason: str | None = None
    #: Where the time went, one record for each worker; empty if the run ended early.
    usages: tuple[Usage, ...] = ()


def summary_of_run(
    study: Study, url: str, outcome: Outcome, seconds: float, n_trials: int | None = None, until: Until | None = None
) -> dict[str, Any]:
    """What `nonstop run --json` prints."""
    from nonstop.history import utilisation
    from nonstop.live.ending import ending

    trials = study.trials
    storage = [] if os.environ.get(VARIABLE) == url else [url]
    return {
        "name": study.name,
        "storage": word_without_passwords(url),
        "state": _STATES.get(outcome.code, "interrupted"),
        "reason": None if outcome.reason is None else without_passwords(outcome.reason),
        "ended": ending(n_trials, until, study.spec.goals, trials) if outcome.code == 0 else None,
        "seconds": seconds,
        "counts": counts_of(trials),
        **leaders_of(study),
        "believed": believed_of(study),
        **usage_of(outcome.usages or utilisation(trials)),
        "failures": failures_of(trials),
        "resume": command_line("nonstop", *sys.argv[1:]),
        "next": command_line("nonstop", "show", *storage, study.name),
    }


def echo_run(summary: dict[str, Any], as_json: bool) -> None:
    """Print the summary of a run."""
    if as_json:
        echo_json(summary)
        return
    echo_leaders(summary, 9)
    if notes_line(summary["best"]):
        echo(f"notes    {notes_line(summary['best'])}")
    if summary["believed"]:
        echo(f"belief   {believed_line(summary['believed'])}")
    echo(f"trials   {counts_line(summary['counts'])}, in {duration(summary['seconds'])}")
    if summary["workers"]:
        # What the workers measured has no gaps; after an interruption there is only what the trials of all runs tell.
        span = "from start to end" if summary["state"] == "finished" else "from first trial to last result, of all runs"
        echo(f"workers  {usage_line(summary['workers'])}, {span}")
    if summary["ended"]:
        echo(f"ended    {summary['ended']}")
    if summary.get("front"):
        echo()
        echo_front(summary["front"])
    echo_failures(summary["failures"])
    if summary["failures"] or summary.get("front"):
        echo()
    if summary["state"] == "finished":
        echo(f"next     {summary['next']}")
    else:
        echo_error(f"{summary['reason']}; no result is lost")
        echo(f"resume   {summary['resume']}", err=True)


def command_line(*words: str) -> str:
    """The words as one would type them in a shell, without passwords, and without bytes that are no characters."""
    return printable(shlex.join(word_without_passwords(word) for word in words))
