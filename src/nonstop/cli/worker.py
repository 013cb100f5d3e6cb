"""`nonstop worker`: more workers for an existing study, on this machine or another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import click

from nonstop.cli.agreed import STORED, stored_objective
from nonstop.cli.complete import complete_study
from nonstop.cli.devices import environments_of
from nonstop.cli.fix import fix_option, fixed_of
from nonstop.cli.identity import changed_option, check_unchanged, warn_of_unused
from nonstop.cli.options import given_options, key_options, output_option, shell_option
from nonstop.cli.running import OPTIMIZE_KEYS, run_workers
from nonstop.cli.studyfile import Source, check_budget
from nonstop.cli.target import only_study, open_existing, split_words

_EXAMPLES = """\b
Examples:
  nonstop worker postgresql://me@db/runs demo train:loss --n-trials 200
  nonstop worker postgresql://me@db/runs demo --command "python train.py --lr {lr}" --timeout 8h --workers 4
  NONSTOP_STORAGE=postgresql://me@db/runs srun nonstop worker demo train:loss --n-trials 200

The budget is that of the study, not of the worker: give all workers the same --n-trials. Workers may be started and
stopped at any time. The study must exist: `nonstop run` or `nonstop create` creates it. Without MODULE:FUNCTION and
--command it is what the study was made with, after you have seen it and agreed."""


@click.command(epilog=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY] [MODULE:FUNCTION]", shell_complete=complete_study)
@shell_option
@key_options("command", "workers", "n_trials", "timeout", "until", "lease", "trial_timeout", "max_failures")
@key_options("folder", "gpus")
@output_option
@fix_option
@changed_option
@click.option(STORED, "stored", is_flag=True, help="Evaluate what the study says, without asking.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing until the end.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as a JSON object on stdout.")
def worker(
    words: Sequence[str], fix: Sequence[str], changed: bool, stored: bool, quiet: bool, as_json: bool, **options: object
) -> int:
    """Start workers for an existing study."""
    from nonstop.studies import load_study
    from nonstop.workers.command import Command

    url, rest = split_words(words, "STUDY", "MODULE:FUNCTION", optional=2)
    name, *objectives = rest or [only_study(url)]
    given = given_options(options)
    keys = Source().checked({**given, **({"objective": objectives[0]} if objectives else {})})
    if "objective" in keys and "command" in keys:
        raise click.UsageError("what to evaluate? Give MODULE:FUNCTION or --command, not both")
    check_budget(keys, "--n-trials", "--timeout")
    study = load_study(open_existing(url), name)
    if "command" in keys:
        objective: str | Command = Command(str(keys["command"]), shell=bool(keys.get("shell")))
    else:
        objective = str(keys["objective"]) if "objective" in keys else stored_objective(study, stored)
    check_unchanged(study.storage, name, objective, changed)
    if isinstance(objective, Command):
        warn_of_unused(objective, study.spec.space)
    gpus = cast("tuple[str, ...]", keys.get("gpus", ()))
    limits = {"workers": len(gpus) or 1} | {key: keys[key] for key in OPTIMIZE_KEYS if key in keys}
    devices = environments_of(gpus, int(str(limits["workers"])))
    what = {"objective": objective, "fixed": fixed_of(fix, None, study.spec.space)}
    return run_workers(study, url, {**what, **limits, **devices}, quiet, as_json)
