"""`nonstop ask`, `tell`, `enqueue`: a study by hand, or from a program in any language."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.fix import fix_option, fixed_of
from nonstop.cli.studyfile import Source
from nonstop.cli.target import locate, only_study, open_existing, split_words
from nonstop.cli.terminal import echo, echo_json_line
from nonstop.errors import ParamsError, TrialError
from nonstop.files.cells import value_of
from nonstop.outcomes.goals import Goals
from nonstop.space import Space
from nonstop.wording import hint, shown

if TYPE_CHECKING:
    from nonstop.study import Study
    from nonstop.trials.trial import Trial

#: What a JSON result says besides notes. What `ask` printed may come back with it, and says nothing new.
_SAID = ("number", "attempt", "value", "outcomes", "state", "reason", "notes")
_ECHOED = ("params", "seed", "study", "worker")


@click.command(
    epilog="""\b
Examples:
  nonstop ask runs.db demo
  nonstop ask runs.db demo --lease 1h --worker rig-3
  nonstop ask runs.db demo | ./evaluate | nonstop tell runs.db demo

The trial is yours until you tell its value; with --lease, somebody else gets it if you do not tell it in time."""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY]", shell_complete=complete_study)
@click.option("--lease", metavar="TIME", help="Give the trial to another who asks if it is not told in this time: 10m.")
@click.option("--worker", metavar="NAME", help="Who evaluates it, for figures.")
@fix_option
def ask(words: Sequence[str], lease: str | None, worker: str | None, fix: Sequence[str]) -> None:
    """Ask for the next trial: one line of JSON.

    It has the number and the params of the trial, which attempt at it this is, and its seed."""
    seconds = None if lease is None else Source().checked({"lease": lease})["lease"]
    study = _opened(*locate(words))
    trial = study.ask(worker, seconds, fixed=fixed_of(fix, None, study.spec.space))  # type: ignore[arg-type]
    echo_json_line({"number": trial.number, "params": trial.params, "attempt": trial.attempt, "seed": trial.seed})


@click.command(
    context_settings={"ignore_unknown_options": True},  # -0.5 is a value
    epilog="""\b
Examples:
  nonstop tell runs.db demo 17 0.25
  nonstop tell runs.db demo 17 --value -0.25 --note epochs=30
  nonstop tell runs.db demo 17 --failed --reason "diverged"
  nonstop tell runs.db demo 17 error=0.1 latency=3.2 memory=7
  echo '{"number": 17, "value": 0.25, "epochs": 30}' | nonstop tell runs.db demo

What is not on the command line is read as JSON from standard input; keys that it does not know are notes.""",
)
@click.argument(
    "words", nargs=-1, metavar="[STORAGE] [STUDY] [NUMBER [VALUE | NAME=VALUE...]]", shell_complete=complete_study
)
@click.option("--value", metavar="NUMBER", help="The value.")
@click.option("--failed", is_flag=True, help="The evaluation failed: there is no value.")
@click.option("--reason", metavar="TEXT", help="Why it failed.")
@click.option("--note", "notes", multiple=True, metavar="KEY=VALUE", help="Keep this with the result; may be repeated.")
def tell(words: Sequence[str], value: str | None, failed: bool, reason: str | None, notes: Sequence[str]) -> None:
    """Tell the value of a trial, all its outcomes by name, or that it failed.

    The first result of a trial counts. When this ends with 0, it is on the disk."""
    first, outcomes = _split_outcomes(words)
    url, rest = split_words(first, "STUDY", "NUMBER", "VALUE", optional=3)
    name, number, given = _told_words(rest, value is not None or failed or bool(outcomes))
    said: dict[str, Any] = {"number": number, "value": value if given is None else given}
    said |= {"state": "failed" if failed else None, "reason": reason, "outcomes": outcomes or None}
    said = {key: part for key, part in said.items() if part is not None}
    if "number" not in said or not said.keys() & {"value", "state", "outcomes"}:
        said = {**_from_stdin(), **said}
    told = _told(_opened(url, name or only_study(url)), said, dict(map(_note, notes)))
    echo(f"trial {told.number} is {told.state}")


def _split_outcomes(words: Sequence[str]) -> tuple[Sequence[str], dict[str, object]]:
    """The words before NAME=VALUE, and what these say: they stand at the end, behind the NUMBER."""
    first = len(words)
    while first > 0 and "=" in words[first - 1]:
        first -= 1
    if first in (0, len(words)) or not words[first - 1].isdecimal():
        return words, {}
    outcomes: dict[str, object] = {}
    for word in words[first:]:
        name, _, text = word.partition("=")
        if name in outcomes:
            raise click.UsageError(f"{shown(word)}: {name} is given twice")
        outcomes[name] = _read(text)
    return words[:first], outcomes


def _told_words(rest: Sequence[str], complete: bool) -> tuple[str | None, str | None, str | None]:
    """STUDY, NUMBER and VALUE. The study may be left out where the first word is a number; `complete` says that the
    value is given otherwise."""
    words: list[str | None] = list(rest)
    most = 2 if complete else 3
    if len(words) > most:
        raise click.UsageError(f"unexpected argument {shown(words[most])}")
    if words and len(words) < most and rest[0].isdecimal():
        words.insert(0, None)
    name, number, value = [*words, None, None, None][:3]
    return name, number, value


def _from_stdin() -> Mapping[str, Any]:
    """The JSON object on standard input; a number alone is a value."""
    if sys.stdin.isatty():
        raise click.UsageError("what to tell? Give NUMBER and VALUE, or --failed, or JSON on standard input")
    text = sys.stdin.read()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise TrialError(f"standard input is no JSON: {shown(text)}") from None
    found = {"value": found} if isinstance(found, int | float) else found
    if not isinstance(found, dict):
        raise TrialError(f"standard input must be a JSON object, not {shown(found)}")
    return found


def _told(study: Study, said: Mapping[str, Any], notes: Mapping[str, Any]) -> Trial:
    if "number" not in said:
        raise TrialError("which trial? There is no number")
    number = _whole("number", said["number"])
    known = next((trial for trial in study.trials if trial.number == number), None)
    if known is None:
        raise TrialError(f"study {study.name!r} has no trial {number}")
    if said.get("attempt") is not None:
        known = replace(known, attempt=_whole("attempt", said["attempt"]))
    more = said.get("notes") or {}
    if not isinstance(more, dict):
        raise TrialError(f"notes must be a JSON object, not {shown(more)}")
    result, extras = _result(study.spec.goals, said)
    return study.tell(known, result, said.get("state"), said.get("reason"), notes={**extras, **more, **notes})


def _result(goals: Goals, said: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The value, or the outcomes by name; and what else was said, which are notes. Outcomes may stand among all else,
    or in a table of their own."""
    table = said.get("outcomes") or {}
    if not isinstance(table, dict):
        raise TrialError(f"outcomes must be a JSON object, not {shown(table)}")
    extras = {key: part for key, part in said.items() if key not in (*_SAID, *_ECHOED)}
    found = {name: extras.pop(name) for name in goals.names if name in extras} | table
    value = _number(said.get("value"))
    if value is None or not found:
        return (found or value), extras
    return {next(iter(goals.objectives)): value, **found}, extras


def _whole(name: str, given: object) -> int:
    try:
        return int(given) if isinstance(given, str | int) and not isinstance(given, bool) else int("")
    except ValueError:
        raise TrialError(f"{name} must be a whole number, not {shown(given)}") from None


def _number(given: object) -> Any:
    try:
        return float(given) if isinstance(given, str) else given
    except ValueError:
        raise TrialError(f"a value must be a finite number, not {shown(given)}") from None


def _note(word: str) -> tuple[str, object]:
    key, equals, text = word.partition("=")
    if not key or not equals:
        raise click.UsageError(f"--note {shown(word)}: expected KEY=VALUE")
    try:
        return key, json.loads(text)
    except (ValueError, RecursionError):
        return key, text


def _read(text: str) -> object:
    """JSON, any number (nan and inf are told from others later), or else a text."""
    for read in (json.loads, float):
        with suppress(ValueError, RecursionError):
            return read(text)
    return text


@click.command(
    epilog="""\b
Examples:
  nonstop enqueue runs.db demo lr=0.001 depth=7
  nonstop enqueue runs.db demo '{"lr": 0.001, "depth": 7}'

The next worker, or the next `nonstop ask`, gets it."""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY] NAME=VALUE...", shell_complete=complete_study)
def enqueue(words: Sequence[str]) -> None:
    """Add a point for a study to try next.

    The values of all parameters, as words or as one JSON object; they are checked by the space."""
    first = next((place for place, word in enumerate(words) if _is_param(word, place)), len(words))
    if first == len(words):
        raise click.UsageError("what to try? Give NAME=VALUE for each parameter, or a JSON object")
    study = _opened(*locate(words[:first]))
    trial = study.enqueue(params_of(study.spec.space, words[first:]))
    echo(f"trial {trial.number} is {trial.state}")


def _is_param(word: str, place: int) -> bool:
    return (word.startswith("{") or "=" in word) and not (place == 0 and "://" in word.partition("=")[0])


def params_of(space: Space, words: Sequence[str]) -> dict[str, Any]:
    """The params that `NAME=VALUE` words or one JSON object give; ParamsError names the word that is wrong."""
    if len(words) == 1 and words[0].startswith("{"):
        try:
            found: dict[str, Any] = json.loads(words[0])
        except (ValueError, RecursionError):
            raise ParamsError(f"this is no JSON: {shown(words[0])}") from None
        return found
    params: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not space.named(name):
            raise ParamsError(f"{shown(word)}: expected NAME=VALUE, where NAME is {hint(name, space.names)}")
        if name in params:
            raise ParamsError(f"{shown(word)}: {name} is given twice")
        params[name] = value_of(space, name, text)
    return params


def _opened(url: str, name: str) -> Study:
    from nonstop.studies import load_study

    return load_study(open_existing(url), name)
