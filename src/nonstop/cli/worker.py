"""`nonstop worker`: more hands for a study that is there, on this machine or another."""

from __future__ import annotations

from collections.abc import Sequence

import click

from nonstop.cli.options import key_options
from nonstop.cli.running import TERMS, carry_out
from nonstop.cli.studyfile import Source
from nonstop.cli.target import open_existing, split_words

_EXAMPLES = """\b
Examples:
  nonstop worker postgresql://me@db/runs demo train:loss --n-trials 200
  nonstop worker postgresql://me@db/runs demo --command "python train.py --lr {lr}" --timeout 8h --workers 4
  NONSTOP_STORAGE=postgresql://me@db/runs srun nonstop worker demo train:loss --n-trials 200

The budget is the study's, not the worker's: give all of them the same --n-trials. Start and stop workers as you like;
the study must be there, made by `nonstop run` or nonstop.create_study()."""


@click.command(epilog=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[URL] STUDY [MODULE:FUNCTION]")
@key_options("command", "workers", "n_trials", "timeout", "lease", "trial_timeout", "max_failures")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing until the end.")
@click.option("--json", "as_json", is_flag=True, help="End with a JSON object on stdout.")
def worker(words: Sequence[str], quiet: bool, as_json: bool, **options: object) -> int:
    """Start workers for a study that is already there."""
    from nonstop.study import load_study
    from nonstop.workers.command import Command

    url, (name, *objectives) = split_words(words, "STUDY", "MODULE:FUNCTION", optional=1)
    given = {key: value for key, value in options.items() if value is not None}
    keys = Source().checked({**given, **({"objective": objectives[0]} if objectives else {})})
    if ("objective" in keys) == ("command" in keys):
        raise click.UsageError("what to evaluate? Give either MODULE:FUNCTION or --command")
    if "n_trials" not in keys and "timeout" not in keys:
        raise click.UsageError("there is no budget: give --n-trials or --timeout (or both)")
    objective = Command(str(keys["command"])) if "command" in keys else str(keys["objective"])
    study = load_study(open_existing(url), name)
    terms = {key: keys[key] for key in TERMS if key in keys}
    return carry_out(study, url, {"objective": objective, **terms}, quiet, as_json)
