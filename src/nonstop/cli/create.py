"""`nonstop create`: a study that is not run here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nonstop.cli.complete import complete_target
from nonstop.cli.goals import goal_options
from nonstop.cli.identity import command_of
from nonstop.cli.options import key_options, noisy_option, param_option, read_all_keys, shell_option, where_option
from nonstop.cli.run_summary import command_line
from nonstop.cli.studyfile import planned
from nonstop.cli.target import open_now, shown_url
from nonstop.cli.terminal import echo

if TYPE_CHECKING:
    from nonstop.cli.studyfile import StudyFile
    from nonstop.workers.command import Command

_EXAMPLES = """\b
Examples:
  nonstop create study.toml
  nonstop create -p lr=float:1e-5:1e-1:log -p depth=int:1:12 --name demo --storage sqlite:///runs.db
  nonstop create train:loss -p lr=float:1e-5:1e-1:log --seed 7

Nothing is evaluated: `nonstop ask` and `tell`, workers or an import come next. A name that is taken is an error."""


@click.command(epilog=_EXAMPLES)
@click.argument("target", required=False, metavar="[STUDY.toml | MODULE:FUNCTION]", shell_complete=complete_target)
@key_options("command")
@shell_option
@param_option
@where_option
@key_options("storage", "name", "direction")
@goal_options
@key_options("rule", "surrogate", "seed", "initial")
@noisy_option
def create(target: str | None, params: Sequence[str], **options: object) -> None:
    """Create a study without running it."""
    from nonstop.studies import create_study

    plan = planned(read_all_keys(target, params, options))
    objective = _objective(plan)  # before anything is stored
    study = create_study(
        open_now(plan.storage),
        plan.name,
        **plan.settings,
        command=command_line("nonstop", *sys.argv[1:]),
        objective=objective,
    )
    echo(f"created {study.name} in {shown_url(plan.storage)}")


def _objective(plan: StudyFile) -> str | Command | None:
    """What workers are to evaluate, as far as it is known. A function need not be importable here."""
    if plan.command is None:
        return plan.objective
    return command_of(plan)
