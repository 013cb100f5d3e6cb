"""`nonstop run`: a study from its first trial to the end of its budget, and on from where it was left."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nonstop.cli.options import gather, key_options, param_option
from nonstop.cli.run_summary import typed
from nonstop.cli.running import TERMS, carry_out
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

The same command again takes up the study where it was left, and stops at the same budget. Options override the keys
of the file; their names are the same. Ctrl-C hands running trials back; nothing that was finished is lost."""


@click.command(epilog=_EXAMPLES)
@click.argument("target", required=False, metavar="[STUDY.toml | MODULE:FUNCTION]")
@key_options("command")
@param_option
@key_options("storage", "name", "direction", "rule", "surrogate", "seed", "initial")
@click.option("--noisy/--exact", "noisy", default=None, help="Is a second evaluation of a point worth something?")
@key_options("workers", "n_trials", "timeout", "lease", "trial_timeout", "max_failures", "engine", "address")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing until the end.")
@click.option("--json", "as_json", is_flag=True, help="End with a JSON object on stdout.")
def run(target: str | None, params: Sequence[str], quiet: bool, as_json: bool, **options: object) -> int:
    """Optimise a study file, a function or a command."""
    plan = gather(target, params, options)
    objective = objective_for(plan)
    study = open_or_create(plan)
    terms = {key: getattr(plan, key) for key in TERMS}
    engine = {} if plan.engine == "local" else {"engine": plan.engine, "address": plan.address}
    return carry_out(study, plan.storage, {"objective": objective, **terms, **engine}, quiet, as_json)


def objective_for(plan: StudyFile) -> str | Command:
    """What workers evaluate; ObjectiveError if it cannot be, before anything is stored."""
    from nonstop.workers.command import Command
    from nonstop.workers.objective import objective_of

    if plan.command is not None:
        command = Command(plan.command)
        command.check(plan.space)
        return command
    objective_of(str(plan.objective))
    return str(plan.objective)


def open_or_create(plan: StudyFile) -> Study:
    """The study that is there under this name, or a new one."""
    from nonstop.study import create_study

    return create_study(
        open_now(plan.storage),
        plan.name,
        space=plan.space,
        direction=plan.direction,
        rule=plan.rule,
        surrogate=plan.surrogate,
        seed=plan.seed,
        noisy=plan.noisy,
        initial=plan.initial,
        command=typed("nonstop", *sys.argv[1:]),
        load_if_exists=True,
    )
