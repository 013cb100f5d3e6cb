"""A study file: what to optimise, how, with which budget and where it is stored, as one frozen value.

Its keys are also options of `nonstop run`. Errors quote a key in the form in which it was given:
`study.toml: workers = 0` or `--workers 0`.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, cast, get_args

from nonstop.acquisition.rules import rule_of
from nonstop.arguments import LONGEST, text_of, whole_of
from nonstop.cli.devices import devices_of
from nonstop.cli.goals import check_goals
from nonstop.errors import RuleError, SpaceError, StudyError, StudyFileError
from nonstop.outcomes.goals import Goals
from nonstop.space import Space
from nonstop.space.constraint import constraints_of
from nonstop.surrogate.model import surrogate_of
from nonstop.trials.until import FORMS, Until, until_of
from nonstop.types import LARGEST_INTEGER, Direction
from nonstop.wording import seconds_of, shown

ENGINES: Final = ("local", "dask", "ray")
DEFAULT_STORAGE: Final = "sqlite:///nonstop.db"


@dataclass(frozen=True, slots=True)
class StudyFile:
    """The values of the keys, or their defaults. Exactly one of `objective` and `command` is given.

    Where direction, objectives, constraints, rule, surrogate, seed, initial and noisy are None, an existing study keeps
    its own, and a new one gets the default of create_study().
    """

    space: Space
    name: str
    #: "module:function"
    objective: str | None = None
    #: A shell command with {placeholders}; the last line that it prints is the value.
    command: str | None = None
    #: Parameters that are given in this run, and their values.
    fix: Mapping[str, object] | None = None
    #: Is the command a script for a shell?
    shell: bool = False
    #: The URL of the storage.
    storage: str = DEFAULT_STORAGE
    direction: Direction | None = None
    #: The directions of named objectives.
    objectives: Mapping[str, Direction] | None = None
    #: What other outcomes have to be, such as "<= 8.0", by name.
    constraints: Mapping[str, str] | None = None
    rule: str | None = None
    surrogate: str | None = None
    seed: int | None = None
    #: Number of quasi-random trials before the first model-based one.
    initial: int | None = None
    #: Whether repeated evaluations of the same point may differ.
    noisy: bool | None = None
    workers: int = 1
    #: The budget: completed trials of the whole study.
    n_trials: int | None = None
    #: Seconds after which no trial is started.
    timeout: float | None = None
    #: When the study is good enough, or has taken enough.
    until: Until | None = None
    #: Seconds without a heartbeat after which a trial is given to another worker.
    lease: float = 30.0
    #: Seconds after which a trial fails.
    trial_timeout: float | None = None
    #: Failed trials in a row after which the run stops.
    max_failures: int | None = 10
    engine: str = "local"
    #: The address of the Dask or Ray cluster.
    address: str | None = None
    #: The folder in which each trial has one of its own; None is "nonstop-runs" in the working directory.
    folder: str | None = None
    #: Whether stdout and stderr of commands are kept in these folders.
    keep_output: bool = True
    #: The devices of each worker.
    gpus: tuple[str, ...] | None = None
    #: No key: was no name given? Then that of a study with another objective is not meant.
    default_name: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of create_study() that say what the study is."""
        names = ("space", "direction", "objectives", "constraints", "rule", "surrogate", "seed", "noisy", "initial")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Source:
    """Where keys were given: in a file, or as options if `path` is None."""

    path: Path | None = None

    def quoted(self, key: str, value: object) -> str:
        """The key and its value as they were given, for error messages."""
        secret = key == "storage"  # a URL may hold a password
        key = _short(key)
        if self.path is None:
            many = isinstance(value, tuple) and all(isinstance(it, str) for it in value)
            text = " or ".join(value) if many else value if isinstance(value, str) else shown(value)  # type: ignore[arg-type]
            return f"--{key.replace('_', '-')}" + ("" if secret else f" {_short(text)}")
        return f"{self.path}: {key}" + ("" if secret else f" = {_short(_toml(value))}")

    def checked(self, given: Mapping[str, object]) -> dict[str, object]:
        """The values as StudyFile needs them, each checked on its own; StudyFileError for a bad one."""
        return {key: self._checked(key, value) for key, value in given.items()}

    def _checked(self, key: str, value: object) -> object:
        if key not in _CHECKS:
            close = get_close_matches(key[:80], _CHECKS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"the keys are {', '.join(_CHECKS)}"
            raise StudyFileError(f"{self.quoted(key, value)}: there is no such key; {hint}")
        check, expected = _CHECKS[key]
        try:
            clean = check(value)
        except SpaceError as error:
            raise StudyFileError(f"{self.path or ('--where' if key == 'where' else '--param')}: {error}") from None
        except (RuleError, StudyError) as error:
            raise StudyFileError(f"{self.quoted(key, value)}: {error}") from None
        if clean is None:
            raise StudyFileError(f"{self.quoted(key, value)}: expected {expected}")
        return clean


def read_keys(path: Path) -> dict[str, object]:
    """The checked keys of a study file; StudyFileError names the file, the key, its value and what is expected."""
    try:
        with path.open("rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise StudyFileError(f"{_end_of(path)}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyFileError(f"{path}: this is not TOML: {_short(str(error))}") from None
    except (ValueError, RecursionError, MemoryError) as error:  # integers of 5,000 digits, tables in tables in tables
        raise StudyFileError(f"{_end_of(path)}: cannot be read as TOML: {_short(str(error))}") from None
    return Source(path).checked(given)


def study_file(keys: Mapping[str, object]) -> StudyFile:
    """A StudyFile from checked keys; StudyFileError if a key is missing or contradicts another."""
    _check_space(keys)
    if ("objective" in keys) == ("command" in keys):
        found = "both" if "command" in keys else "neither"
        raise StudyFileError(f'expected one of objective = "module:function" and command = "...", got {found}')
    if keys.get("shell") and "command" not in keys:
        raise StudyFileError('shell = true needs command = "...", which the shell is to run')
    if "address" in keys and keys.get("engine", "local") == "local":
        raise StudyFileError(f'address = {keys["address"]!r} needs engine = "dask" or "ray", not "local"')
    check_budget(keys, "n_trials", "timeout")
    return planned(keys)


def planned(keys: Mapping[str, object]) -> StudyFile:
    """The same without a budget and, if it has a name, without an objective: for a study that is not run here."""
    _check_space(keys)
    check_goals(keys)
    if "objective" in keys and "command" in keys:
        raise StudyFileError('expected one of objective = "module:function" and command = "...", got both')
    if not keys.keys() & {"name", "objective", "command"}:
        raise StudyFileError("the study has no name: give --name")
    if "gpus" in keys:
        keys = {"workers": len(cast("tuple[str, ...]", keys["gpus"])), **keys}
    name = keys["name"] if "name" in keys else _default_name(keys)
    named: dict[str, Any] = {**keys, "name": name, "default_name": "name" not in keys}
    named["space"] = constrained(named["space"], named.pop("where", ()))
    return StudyFile(**named)


def _check_space(keys: Mapping[str, object]) -> None:
    if "space" not in keys:
        raise StudyFileError("there are no parameters: give a table [space.NAME] or --param NAME=float:LOW:HIGH")


def constrained(space: Space, where: Sequence[str]) -> Space:
    """The space with these constraints besides its own; StudyFileError if they do not fit it."""
    try:
        return Space(space, [*space.where, *where]).complete()
    except SpaceError as error:
        raise StudyFileError(str(error)) from None


def check_budget(keys: Mapping[str, object], *limits: str) -> None:
    """StudyFileError if the run would not end; `limits` are the names of its limits as the user writes them."""
    until = keys.get("until")
    if "n_trials" in keys or "timeout" in keys or (isinstance(until, Until) and until.ends):
        return
    why = f"; {until} may never be reached" if until is not None else ""
    raise StudyFileError(f"there is no budget: give {' or '.join(limits)} (or both){why}")


def _default_name(keys: Mapping[str, object]) -> str:
    """The name of the function or of the script, so that the same command finds its study again."""
    if "objective" in keys:
        return str(keys["objective"]).rpartition(":")[2]
    words = shlex.split(str(keys["command"]))
    return Path(next((word for word in words if Path(word).suffix and "{" not in word), words[0])).stem


def _text(value: object) -> str | None:
    text = text_of(value)
    return text if text is not None and text.strip() and "\0" not in text else None


def _url(value: object) -> str | None:
    return value if isinstance(value, str) and "://" in value and "\0" not in value else None


def _command(value: object) -> str | None:
    try:
        return value if isinstance(value, str) and "\0" not in value and shlex.split(value) else None
    except ValueError:
        return None


def _function(value: object) -> str | None:
    parts = value.split(":") if isinstance(value, str) else []
    dotted = [name for part in parts for name in part.split(".")]
    return str(value) if len(parts) == 2 and all(name.isidentifier() for name in dotted) else None


def _table(value: object) -> Mapping[str, object] | None:
    return value if isinstance(value, Mapping) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _rule(value: object) -> str | None:
    if isinstance(value, str):
        rule_of(value)  # or RuleError, which lists the names
        return value
    return None


def _surrogate(value: object) -> str | None:
    if isinstance(value, str):
        surrogate_of(value)  # or RuleError, which lists the names
        return value
    return None


def _until(value: object) -> Until:
    return until_of(value)  # or StudyError


def _objectives(value: object) -> dict[str, Direction]:
    return dict(Goals.of("minimize", value).objectives)  # type: ignore[arg-type]  # or StudyError


def _constraints(value: object) -> dict[str, str]:
    bounds = Goals.of("minimize", None, value).constraints  # type: ignore[arg-type]  # or StudyError
    return {name: str(bound) for name, bound in bounds.items()}


def _space(value: object) -> Space:
    return value if isinstance(value, Space) else Space.from_json(value)  # type: ignore[arg-type]


def _where(value: object) -> tuple[str, ...] | None:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        return None
    constraints_of(texts)  # or SpaceError, which points at the character
    return tuple(texts)


def _at_least(least: int, most: int = LARGEST_INTEGER) -> Callable[[object], int | None]:
    def check(value: object) -> int | None:
        number = whole_of(value)
        return number if number is not None and least <= number <= most else None

    return check


def _duration(value: object) -> float | None:
    seconds = seconds_of(value)
    return seconds if seconds is not None and seconds <= LONGEST else None


def _one_of(names: tuple[str, ...]) -> Callable[[object], str | None]:
    return lambda value: value if isinstance(value, str) and value in names else None


_DURATION = (_duration, 'a duration: seconds, or a text such as "90s", "30m", "2h", at most 1e8 seconds')
#: For each key: a check that returns the clean value or None, and what is expected, for the error message.
_CHECKS: Final[Mapping[str, tuple[Callable[[object], object], str]]] = {
    "space": (_space, "tables"),
    "name": (_text, "the name of the study"),
    "objective": (_function, "module:function"),
    "command": (_command, 'a shell command such as "python train.py --lr {lr}", its quotes closed'),
    "shell": (_flag, "true or false"),
    "where": (_where, 'a list of constraints such as ["low < high"]'),
    "fix": (_table, "a table of parameters and their values"),
    "storage": (_url, "a URL: sqlite:///FILE or postgresql://USER@HOST/DATABASE"),
    "direction": (_one_of(get_args(Direction)), '"minimize" or "maximize"'),
    "objectives": (_objectives, "a table of names, each minimize or maximize"),
    "constraints": (_constraints, "a table of names and bounds"),
    "rule": (_rule, "the name of a rule"),
    "surrogate": (_surrogate, "the name of a surrogate"),
    "seed": (_at_least(0), "a whole number from 0 to 2**63 - 1"),
    "initial": (_at_least(0), "a number of trials from 0"),
    "noisy": (_flag, "true or false"),
    "workers": (_at_least(1, 10_000), "a number of workers from 1 to 10000"),
    "n_trials": (_at_least(1), "a number of trials from 1"),
    "timeout": _DURATION,
    "until": (_until, FORMS),
    "lease": _DURATION,
    "trial_timeout": _DURATION,
    "max_failures": (_at_least(1), "a number of failures from 1"),
    "engine": (_one_of(ENGINES), "one of " + ", ".join(ENGINES)),
    "address": (_text, "the address of a cluster"),
    "folder": (_text, "the path of a folder"),
    "keep_output": (_flag, "true or false"),
    "gpus": (devices_of, "the devices of the workers, such as 0,1,2,3, or 0+1,2+3 for two each"),
}


def _toml(value: object) -> str:
    try:
        return json.dumps(value)
    except TypeError:  # dates
        return str(value) if isinstance(value, date | time) else shown(value)
    except (ValueError, RecursionError):  # integers of 5,000 digits
        return shown(value)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}..."


def _end_of(path: Path) -> str:
    """The path; of a very long one its end, where the name of the file is."""
    text = str(path)
    return text if len(text) <= 200 else f"...{text[-200:]}"
