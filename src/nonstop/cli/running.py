"""Workers under way, for `nonstop run` and `nonstop worker`: show them, survive Ctrl-C, say how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nonstop.cli.capture import captured, own_terminal
from nonstop.cli.run_summary import Outcome, ending_of, say_ending
from nonstop.cli.terminal import say

if TYPE_CHECKING:
    from nonstop.cli.live import Display
    from nonstop.study import Study

#: The keys of a study file that are arguments of Study.optimize().
TERMS = ("n_trials", "timeout", "workers", "lease", "trial_timeout", "max_failures")


def carry_out(study: Study, url: str, arguments: Mapping[str, Any], quiet: bool, as_json: bool) -> int:
    """study.optimize(**arguments), shown while it runs and summed up at its end; the exit code."""
    from nonstop.cli.live import Watch

    with display_of(study, arguments.get("n_trials"), quiet) as display, Watch(study, display) as watch:
        outcome = optimized(study, arguments)
    say_ending(ending_of(study, url, outcome, watch.elapsed), as_json)
    return outcome.code


def optimized(study: Study, arguments: Mapping[str, Any]) -> Outcome:
    from nonstop.errors import StudyError

    try:
        return Outcome(0, usages=study.optimize(**arguments))
    except KeyboardInterrupt:
        return Outcome(130, "interrupted")
    except SystemExit as error:  # SIGTERM, after the workers handed back their trials
        return Outcome(error.code if isinstance(error.code, int) else 1, "terminated")
    except StudyError as error:
        return Outcome(1, str(error))


@contextmanager
def display_of(study: Study, budget: int | None, quiet: bool) -> Iterator[Display]:
    """A panel if stderr is a terminal, else lines; progress never goes to stdout."""
    from rich.console import Console
    from rich.text import Text

    from nonstop.cli.live import Lines, Panel, Silence

    if quiet:
        yield Silence()
        return
    with own_terminal() as terminal:
        console = Console(file=terminal)
        if not console.is_terminal or console.is_dumb_terminal:
            yield Lines(lambda line: say(line, err=True), budget)
            return
        with (
            Panel(console, f"{study.name}, {study.spec.direction}", budget) as panel,
            captured(lambda line: console.print(Text.from_ansi(line))),
        ):
            yield panel
