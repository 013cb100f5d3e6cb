"""`nonstop run`: start a study or continue an existing one, up to its budget."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nonstop.cli.complete import complete_target
from nonstop.cli.devices import environments_of
from nonstop.cli.fix import fix_option, fixed_of
from nonstop.cli.goals import goal_options
from nonstop.cli.identity import changed_option, check_unchanged, command_of, with_own_name
from nonstop.cli.options import (
    key_options,
    noisy_option,
    output_option,
    param_option,
    read_arguments,
    shell_option,
    where_option,
)
from nonstop.cli.run_summary import command_line
from nonstop.cli.running import OPTIMIZE_KEYS, run_workers
from nonstop.cli.target import open_now

if TYPE_CHECKING:
    from nonstop.cli.studyfile import StudyFile
    from nonstop.study import Study
    from nonstop.workers.command import Command

_EXAMPLES = """\b
Examples:
  nonstop run study.toml
  nonstop run study.toml --workers 16 --n-trials 500
  nonstop run train:loss -p lr=float:1e-5:1e-1:log -p depth=int:1:12 -p opt=cat:sgd,adam --n-trials 200
  nonstop run --command "python train.py --lr {lr}" -p lr=float:1e-5:1e-1:log --timeout 2h --workers 4

The same command again continues the study where it stopped, up to the same budget. Options override the keys of the
file, which have the same names. Ctrl-C gives running trials back to the study; no result is lost."""


@click.command(epilog=_EXAMPLES)
@click.argument("target", required=False, metavar="[STUDY.toml | MODULE:FUNCTION]", shell_complete=complete_target)
@key_options("command")
@shell_option
@param_option
@where_option
@fix_option
@key_options("storage", "name", "direction")
@goal_options
@key_options("rule", "surrogate", "seed", "initial")
@noisy_option
@key_options("workers", "n_trials", "timeout", "until", "lease", "trial_timeout", "max_failures", "engine", "address")
@key_options("folder", "gpus")
@output_option
@changed_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing until the end.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as a JSON object on stdout.")
def run(
    target: str | None,
    params: Sequence[str],
    fix: Sequence[str],
    changed: bool,
    quiet: bool,
    as_json: bool,
    **options: object,
) -> int:
    """Optimise a study file, a function or a command."""
    plan = read_arguments(target, params, options)
    fixed = fixed_of(fix, plan.fix, plan.space)
    objective = objective_for(plan)
    study = open_or_create(plan, objective, changed)
    limits = {key: getattr(plan, key) for key in OPTIMIZE_KEYS}
    engine = {} if plan.engine == "local" else {"engine": plan.engine, "address": plan.address}
    devices = environments_of(plan.gpus, plan.workers)
    what = {"objective": objective, "fixed": fixed}
    return run_workers(study, plan.storage, {**what, **limits, **engine, **devices}, quiet, as_json)


def objective_for(plan: StudyFile) -> str | Command:
    """What workers evaluate; ObjectiveError if that is not possible, before anything is stored."""
    from nonstop.workers.objective import objective_of

    if plan.command is not None:
        return command_of(plan)
    objective_of(str(plan.objective))
    return str(plan.objective)


def open_or_create(plan: StudyFile, objective: str | Command, changed: bool) -> Study:
    """The existing study of this name and objective, or a new one."""
    from nonstop.studies import create_study

    storage = open_now(plan.storage)
    plan = with_own_name(plan, objective, storage)
    exists = check_unchanged(storage, plan.name, objective, changed)
    return create_study(
        storage,
        plan.name,
        **plan.settings,
        command=command_line("nonstop", *sys.argv[1:]),
        objective=None if exists else objective,  # it has been compared
        load_if_exists=True,
    )
