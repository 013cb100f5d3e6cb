"""Run workers for `nonstop run` and `nonstop worker`: show their progress, handle Ctrl-C, print a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nonstop.cli.capture import captured_output, terminal_behind_stderr
from nonstop.cli.run_summary import Outcome, echo_run, summary_of_run
from nonstop.cli.terminal import echo

if TYPE_CHECKING:
    from nonstop.live.monitor import Display
    from nonstop.study import Study

#: The keys of a study file that are arguments of Study.optimize().
OPTIMIZE_KEYS = (
    *("n_trials", "timeout", "until", "workers", "lease", "trial_timeout", "max_failures"),
    *("folder", "keep_output"),
)


def run_workers(study: Study, url: str, arguments: Mapping[str, Any], quiet: bool, as_json: bool) -> int:
    """Call study.optimize(**arguments), show its progress, print a summary, and return the exit code."""
    from nonstop.history.board import Board
    from nonstop.live.monitor import Monitor

    board = Board(study.spec.goals, study.trials)
    with (
        open_display(study, arguments.get("n_trials"), quiet) as display,
        Monitor(study.storage, study.id, board, display) as monitor,
    ):
        outcome = _optimize(study, arguments)
    limits = arguments.get("n_trials"), arguments.get("until")
    echo_run(summary_of_run(study, url, outcome, monitor.elapsed, *limits), as_json)
    return outcome.code


def _optimize(study: Study, arguments: Mapping[str, Any]) -> Outcome:
    from nonstop.errors import StudyError

    try:
        return Outcome(0, usages=study.optimize(**arguments, progress=False))
    except KeyboardInterrupt:
        return Outcome(130, "interrupted")
    except SystemExit as error:  # SIGTERM, after the workers have given back their trials
        return Outcome(error.code if isinstance(error.code, int) else 1, "terminated")
    except StudyError as error:
        return Outcome(1, str(error))


@contextmanager
def open_display(study: Study, budget: int | None, quiet: bool) -> Iterator[Display]:
    """A panel if stderr is a terminal, else lines; progress never goes to stdout."""
    from rich.console import Console
    from rich.text import Text

    from nonstop.live.monitor import Lines, NoDisplay
    from nonstop.live.panel import Panel

    if quiet:
        yield NoDisplay()
        return
    wanted = replace(study.spec.goals, constraints={})  # there is no room for more
    with terminal_behind_stderr() as terminal:
        console = Console(file=terminal)
        if not console.is_terminal or console.is_dumb_terminal:
            yield Lines(lambda line: echo(line, err=True), budget)
            return
        with (
            Panel(console, f"{study.name}, {wanted}", budget) as panel,
            captured_output(lambda line: console.print(Text.from_ansi(line))),
        ):
            yield panel
