"""The options of `nonstop run` that are keys of a study file, and how both become one StudyFile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.cli.parameters import FORMS, parameters_of
from nonstop.cli.studyfile import Source, StudyFile, read_keys, study_file
from nonstop.cli.target import VARIABLE
from nonstop.errors import StudyFileError
from nonstop.space import Space
from nonstop.surrogate.model import DEFAULT_SURROGATE

F = TypeVar("F", bound=Callable[..., Any])

#: What each key means, for --help; the defaults are those of StudyFile.
HELP = {
    "command": "A shell command with {NAME} where a value belongs; its last line of output is the value.",
    "storage": f"Where the study is kept: sqlite:///FILE or postgresql://USER@HOST/DATABASE. [{VARIABLE}]",
    "name": "The study's name; that of the file, function or script if you do not say.",
    "direction": "minimize (the default) or maximize.",
    "rule": f"The acquisition rule: {DEFAULT_RULE} (the default), ucb, logei, ...",
    "surrogate": f"How the model sees the data: {DEFAULT_SURROGATE} (the default) or paper.",
    "seed": "Of the study: the same seed and the same data give the same proposals.",
    "initial": "Quasi-random trials before the model speaks (three for each parameter).",
    "workers": "How many workers evaluate at a time.",
    "n_trials": "The budget: stop when the study has so many completed trials.",
    "timeout": "Start no trial after this time: 90s, 30m, 2h.",
    "lease": "Without a sign of life for so long, a trial is handed to another worker (30s).",
    "trial_timeout": "A trial that takes longer has failed.",
    "max_failures": "Give up after so many failed trials in a row (10).",
    "engine": "local (the default), dask or ray.",
    "address": "The address of the dask or ray cluster.",
}
_WHOLE = {"seed", "initial", "workers", "n_trials", "max_failures"}


def key_options(*keys: str) -> Callable[[F], F]:
    """Options for these keys, absent unless given: the file, then the defaults, speak for those that are not."""

    def decorate(function: F) -> F:
        for key in reversed(keys):
            decorator = click.option(
                f"--{key.replace('_', '-')}",
                key,
                type=int if key in _WHOLE else str,
                envvar=VARIABLE if key == "storage" else None,
                metavar="N" if key in _WHOLE else "TEXT",
                help=HELP[key],
            )
            function = decorator(function)
        return function

    return decorate


def param_option(function: F) -> F:
    return click.option("-p", "--param", "params", multiple=True, metavar="NAME=KIND:...", help=FORMS)(function)


def gather(target: str | None, params: Sequence[str], options: Mapping[str, object]) -> StudyFile:
    """The study that a file or module:function, --param words and options describe; options override the file."""
    given = Source().checked({key: value for key, value in options.items() if value is not None})
    keys = _from_target(target)
    if "command" in given and "objective" in keys and not _is_file(target):
        raise StudyFileError(f"expected either {target} or --command, got both")
    if "command" in given:
        keys.pop("objective", None)
    declared = parameters_of(params)
    if declared:
        keys["space"] = Space({**cast("Space", keys.get("space", {})), **declared})
    return study_file({**keys, **given})


def _from_target(target: str | None) -> dict[str, object]:
    if target is None:
        return {}
    if _is_file(target):
        path = Path(target)
        # The objective may stand beside the file; the current folder comes first.
        sys.path.insert(0, str(path.parent.absolute()))
        return {"name": path.stem, **read_keys(path)}
    if ":" not in target:
        raise StudyFileError(f"{target}: expected a study file (STUDY.toml) or MODULE:FUNCTION")
    return Source().checked({"objective": target})


def _is_file(target: str | None) -> bool:
    return target is not None and (target.endswith(".toml") or Path(target).is_file())
