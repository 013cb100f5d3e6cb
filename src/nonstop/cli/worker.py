"""`nonstop worker`: more workers for an existing study, on this machine or another."""

from __future__ import annotations

from collections.abc import Sequence

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.options import key_options, shell_option
from nonstop.cli.running import OPTIMIZE_KEYS, run_workers
from nonstop.cli.studyfile import Source
from nonstop.cli.target import open_existing, split_words

_EXAMPLES = """\b
Examples:
  nonstop worker postgresql://me@db/runs demo train:loss --n-trials 200
  nonstop worker postgresql://me@db/runs demo --command "python train.py --lr {lr}" --timeout 8h --workers 4
  NONSTOP_STORAGE=postgresql://me@db/runs srun nonstop worker demo train:loss --n-trials 200

The budget is that of the study, not of the worker: give all workers the same --n-trials. Workers may be started and
stopped at any time. The study must exist: `nonstop run` or nonstop.create_study() creates it."""


@click.command(epilog=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[URL] STUDY [MODULE:FUNCTION]", shell_complete=complete_study)
@shell_option
@key_options("command", "workers", "n_trials", "timeout", "lease", "trial_timeout", "max_failures")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing until the end.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as a JSON object on stdout.")
def worker(words: Sequence[str], quiet: bool, as_json: bool, **options: object) -> int:
    """Start workers for an existing study."""
    from nonstop.study import load_study
    from nonstop.workers.command import Command

    url, (name, *objectives) = split_words(words, "STUDY", "MODULE:FUNCTION", optional=1)
    given = {key: value for key, value in options.items() if value is not None}
    keys = Source().checked({**given, **({"objective": objectives[0]} if objectives else {})})
    if ("objective" in keys) == ("command" in keys):
        raise click.UsageError("what to evaluate? Give MODULE:FUNCTION or --command, not both")
    if "n_trials" not in keys and "timeout" not in keys:
        raise click.UsageError("there is no budget: give --n-trials or --timeout (or both)")
    objective = (
        Command(str(keys["command"]), shell=bool(keys.get("shell"))) if "command" in keys else str(keys["objective"])
    )
    study = load_study(open_existing(url), name)
    limits = {key: keys[key] for key in OPTIMIZE_KEYS if key in keys}
    return run_workers(study, url, {"objective": objective, **limits}, quiet, as_json)
