"""The options of `nonstop run` that are keys of a study file; options and file together become one StudyFile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.cli.complete import COMPLETERS
from nonstop.cli.goals import with_goals
from nonstop.cli.parameters import FORMS, parameters_of
from nonstop.cli.studyfile import Source, StudyFile, read_keys, study_file
from nonstop.cli.target import VARIABLE
from nonstop.errors import StudyFileError
from nonstop.space import Space
from nonstop.surrogate.model import DEFAULT_SURROGATE

F = TypeVar("F", bound=Callable[..., Any])

#: The help text of each key; the defaults are those of StudyFile.
HELP = {
    "command": "A shell command with {NAME} for the value of each parameter; its last line of output is the value.",
    "storage": f"Where the study is kept: sqlite:///FILE or postgresql://USER@HOST/DATABASE. [{VARIABLE}]",
    "name": "The name of the study (default: that of the file, function or script).",
    "direction": "minimize (the default) or maximize.",
    "rule": f"The acquisition rule: {DEFAULT_RULE} (the default for one objective), ucb, logei, ...",
    "surrogate": f"The surrogate model: {DEFAULT_SURROGATE} (the default) or paper.",
    "seed": "The seed of the study: the same seed and the same data give the same proposals.",
    "initial": "Number of quasi-random trials before the first model-based one (default: three for each parameter, at "
    "most a quarter of --n-trials).",
    "workers": "How many workers evaluate at a time.",
    "n_trials": "The budget: stop when the study has this many completed trials.",
    "timeout": "Start no trial after this time: 90s, 30m, 2h.",
    "until": "Stop as soon as this holds: 'value 0.01', 'no improvement in 50' or 'evaluating 2h'; may be repeated.",
    "lease": "A trial without a heartbeat for this long is given to another worker (default: 30s).",
    "trial_timeout": "A trial that takes longer than this fails.",
    "max_failures": "Stop after this many failed trials in a row, if going on is hopeless (default: 10).",
    "engine": "local (the default), dask or ray.",
    "address": "The address of the dask or ray cluster.",
    "folder": "Where each trial has a folder of its own (default: nonstop-runs).",
    "gpus": "The devices of the workers: 0,1,2,3 is one for each of four workers, 0+1,2+3 two for each of two.",
}
_INTEGERS = {"seed", "initial", "workers", "n_trials", "max_failures"}

#: Options that may be given several times.
_LISTS = {"until"}


def key_options(*keys: str) -> Callable[[F], F]:
    """Options for these keys. An option that is not given is None: the file, then the default, decides."""

    def decorate(function: F) -> F:
        for key in reversed(keys):
            decorator = click.option(
                f"--{key.replace('_', '-')}",
                key,
                type=int if key in _INTEGERS else str,
                envvar=VARIABLE if key == "storage" else None,
                metavar="N" if key in _INTEGERS else "TEXT",
                multiple=key in _LISTS,
                default=None,
                help=HELP[key],
                shell_complete=COMPLETERS.get(key),
            )
            function = decorator(function)
        return function

    return decorate


def shell_option(function: F) -> F:
    """The option --shell, a key too."""
    help_text = "Let a shell run the command: with pipes, and values that stay text."
    return click.option("--shell/--no-shell", "shell", default=None, help=help_text)(function)


def noisy_option(function: F) -> F:
    """The options --noisy and --exact, a key too."""
    help_text = "Whether repeated evaluations of the same point may differ (default: --exact)."
    return click.option("--noisy/--exact", "noisy", default=None, help=help_text)(function)


def output_option(function: F) -> F:
    """The options --keep-output and --discard-output."""
    return click.option(
        "--keep-output/--discard-output",
        "keep_output",
        default=None,
        help="Whether what commands print is kept in the folders of the trials (default: --keep-output).",
    )(function)


def param_option(function: F) -> F:
    """The option --param, which may be repeated."""
    return click.option("-p", "--param", "params", multiple=True, metavar="NAME=KIND:...", help=FORMS)(function)


def where_option(function: F) -> F:
    """The option --where, which may be repeated."""
    return click.option(
        "--where",
        multiple=True,
        metavar="CONSTRAINT",
        callback=lambda _context, _option, words: list(words) or None,
        help="What params must satisfy, such as 'low < high'.",
    )(function)


def read_arguments(target: str | None, params: Sequence[str], options: Mapping[str, object]) -> StudyFile:
    """The study that a file or module:function, --param words and options describe; options override the file."""
    return study_file(read_all_keys(target, params, options))


def read_all_keys(target: str | None, params: Sequence[str], options: Mapping[str, object]) -> dict[str, object]:
    """The same as checked keys, of which some may be missing."""
    given = Source().checked(given_options(with_goals(options)))
    keys = _from_target(target)
    if "command" in given and "objective" in keys and not _is_file(target):
        raise StudyFileError(f"expected either {str(target)[:200]} or --command, got both")
    if "command" in given:
        keys.pop("objective", None)
    declared = parameters_of(params)
    if declared:
        known = cast("Space", keys.get("space", {}))
        keys["space"] = Space({**known, **declared}, known.where if isinstance(known, Space) else ())
    if "where" in given:  # constraints add to those of a file
        given["where"] = [*cast("Sequence[str]", keys.get("where", ())), *cast("Sequence[str]", given["where"])]
    if "constraints" in given:  # these too; of the same outcome, the one that was typed counts
        given["constraints"] = {**cast("Mapping[str, str]", keys.get("constraints", {})), **given["constraints"]}  # type: ignore[dict-item]
    return {**keys, **given}


def given_options(options: Mapping[str, object]) -> dict[str, object]:
    """Those that were given: an option that may be repeated is an empty tuple if it was not."""
    return {key: value for key, value in options.items() if value not in (None, ())}


def _from_target(target: str | None) -> dict[str, object]:
    if target is None:
        return {}
    if _is_file(target):
        path = Path(target)
        # The objective may be a module in the folder of the file.
        sys.path.insert(0, str(path.parent.absolute()))
        return {"name": path.stem, **read_keys(path)}
    if ":" not in target:
        raise StudyFileError(f"{target[:200]}: expected a study file (STUDY.toml) or MODULE:FUNCTION")
    return Source().checked({"objective": target})


def _is_file(target: str | None) -> bool:
    try:
        return target is not None and (target.endswith(".toml") or Path(target).is_file())
    except OSError:  # longer than a file name can be
        return False
