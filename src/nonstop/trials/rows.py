"""Rows of data from elsewhere, as trials to insert: checked one by one, and all of them before any is stored.

A row is a pair (params, value), a Trial, or a mapping with the fields that `nonstop export` writes. Its params are in
`params`, or in one key each: `params_NAME`, or NAME where no field is called so. `note_NAME` is a note. Outcomes are in
`outcomes`, or in one key each: `outcomes_NAME`, or NAME where nothing else is called so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import fields as fields_of
from datetime import datetime
from typing import Any, Final

from nonstop.arguments import number_of, plain, text_of
from nonstop.errors import NonstopError, ParamsError, RowsError
from nonstop.outcomes.goals import Goals
from nonstop.space import Space
from nonstop.space.leaves import is_active
from nonstop.trials.messages import Insert
from nonstop.trials.telling import Told, told_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Notes, Params
from nonstop.wording import hint, shown

#: What a row may say besides its params.
USED: Final = (
    "state",
    "value",
    "outcomes",
    "reason",
    "worker",
    "started_at",
    "finished_at",
    "seconds",
    "notes",
    "fixed",
)
#: What an export has, too, and a trial from elsewhere has not, or gets anew.
UNUSED: Final = tuple(field.name for field in fields_of(Trial) if field.name not in ("params", *USED))
#: As pandas tables of studies call them, ours and others'.
_ALIASES: Final = {"datetime_start": "started_at", "datetime_complete": "finished_at"}
PARAM, OUTCOME, NOTE = "params_", "outcomes_", "note_"
#: A column of study.to_dataframe(), if there are constraints.
FEASIBLE: Final = "feasible"
_FIELDS: Final = frozenset(("params", *USED, *UNUSED, *_ALIASES))
_STATES: Final = {state.value: state for state in TrialState}
#: Somebody is, or was, about to evaluate these.
_UNFINISHED: Final = (TrialState.WAITING, TrialState.RUNNING, TrialState.PROPOSING)


def inserts_of(
    space: Space,
    goals: Goals,
    rows: Iterable[object],
    where: Callable[[int], str] = "row {}".format,
    extras: bool = False,
) -> list[Insert]:
    """The trials to insert; RowsError with all that is wrong. Rows that were about to get params are left out.

    `where` names a row by its place, from 0. With `extras`, keys that mean nothing are notes."""
    inserts, errors, count = [], [], 0
    if not isinstance(rows, Iterable) or isinstance(rows, str | Mapping):
        raise ParamsError(f"got {shown(rows)}, expected a list of rows")
    reader = RowReader(space, goals, extras)
    for place, row in enumerate(rows):
        count += 1
        try:
            if isinstance(row, NonstopError):  # of who read the row
                raise row
            insert = reader.insert_of(row)
        except (NonstopError, ValueError) as error:
            errors.append((where(place), str(error)))
            continue
        if insert is not None:
            inserts.append(insert)
    if errors:
        raise RowsError(errors, count)
    return inserts


class RowReader:
    """Makes trials to insert out of rows for one space, with the outcomes that these goals need."""

    def __init__(self, space: Space, goals: Goals, extras: bool = False) -> None:
        self._space = space
        self._goals = goals
        self._extras = extras
        self._layouts: dict[tuple[str, ...], _Layout] = {}  # most rows have the same keys

    def insert_of(self, row: object) -> Insert | None:
        """The trial to insert for one row; None if it has neither a result nor params."""
        row = _as_mapping(row)
        keys = tuple(row)
        layout = self._layouts.get(keys)
        if layout is None:
            layout = self._layouts[keys] = _layout(self._space, self._goals, keys, self._extras)
        said = {name: row[key] for key, name in layout.said if not _is_absent(row[key])}
        outcomes = {**_mapping("outcomes", said), **_present(row, layout.outcomes)}
        said.pop("outcomes", None)
        if outcomes:
            said["outcomes"] = outcomes
        state = _state(said)
        given = _params(row, layout)
        if state in _UNFINISHED and given is None:
            return None
        params = self._space.validate(_filled(self._space, given or {}, layout))
        notes = dict(_mapping("notes", said))
        notes.update(_present(row, layout.notes))
        fixed = {name: params[name] for name in _mapping("fixed", said) if name in params} or None
        if state in _UNFINISHED:
            return Insert(params, notes=notes, fixed=fixed)
        return _result(self._goals, state, params, notes, fixed, said)


def _present(row: Mapping[str, Any], keys: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """By name, without empty cells."""
    return {name: row[key] for key, name in keys if not _is_absent(row[key])}


def _as_mapping(row: object) -> Mapping[str, Any]:
    if isinstance(row, Trial):
        return {name: getattr(row, name) for name in ("params", *USED)}
    if isinstance(row, tuple) and len(row) == 2:
        return {"params": row[0], "value": row[1]}
    if isinstance(row, Mapping) and all(isinstance(key, str) for key in row):
        return row
    raise ParamsError(f"got {shown(row)}, expected (params, value), a trial or a mapping")


def _result(
    goals: Goals,
    state: TrialState,
    params: Params,
    notes: Notes,
    fixed: Params | None,
    said: Mapping[str, Any],
) -> Insert:
    told = _told(goals, said) if state is TrialState.COMPLETED else Told(TrialState.FAILED)
    given = next((name for name in ("value", "outcomes") if name in said), None)
    if state is TrialState.FAILED and given is not None:
        raise ParamsError(f"{given}: got {shown(said[given])}, expected none, because it failed")
    notes = {**told.extras, **notes}  # type: ignore[dict-item]  # of a mapping whose keys are texts
    started, finished, seconds = _time("started_at", said), _time("finished_at", said), _seconds(said)
    if started is not None and finished is not None and started > finished:
        raise ParamsError(f"started_at: got {said['started_at']}, expected a time before finished_at")
    reason, worker = _text("reason", said), _text("worker", said)
    if state is TrialState.COMPLETED:
        reason = None
    return Insert(params, state, told.value, reason, worker, started, finished, seconds, notes, fixed, told.outcomes)


def _told(goals: Goals, said: Mapping[str, Any]) -> Told:
    """The value is that of the only objective, which need not be among the outcomes then; if it is, they are equal."""
    outcomes, value = dict(said.get("outcomes", {})), said.get("value")
    if "value" in said and goals.several:
        raise ParamsError(f"value: got {shown(value)}, expected none, because there are several objectives")
    if "value" in said or not outcomes:
        if not goals.several and number_of(value) is None:
            raise ParamsError(f"value: got {shown(value)}, expected a finite number")
        name = next(iter(goals.objectives))
        if value is not None and outcomes.setdefault(name, value) != value:
            raise ParamsError(f"value: got {shown(value)}, but the outcome {shown(name)} is {shown(outcomes[name])}")
    wrong = goals.wrong(outcomes)
    if wrong is not None:
        raise ParamsError(wrong)
    return told_of(goals, outcomes)


def outcome_named(key: str, space: Space, goals: Goals) -> str | None:
    """The outcome that a key means: one of the study, as outcomes_NAME or by its name; or any other as outcomes_NAME.
    None if it means none. A parameter comes first, and gives way only to an outcome of the study that is written out.
    """
    name = key.removeprefix(OUTCOME)
    if key.startswith(OUTCOME) and goals.named and name in goals.names:
        return name
    if space.named(key.removeprefix(PARAM)) or space.named(key) or key in _FIELDS:
        return None
    if key.startswith(OUTCOME):
        return name
    return key if goals.named and key in goals.names else None


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the keys of a row mean: (key, name) of fields, params, notes and outcomes; and is there `params`?"""

    said: tuple[tuple[str, str], ...]
    whole: bool
    params: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]
    outcomes: tuple[tuple[str, str], ...]
    #: The params of which None is a choice.
    nullable: frozenset[str]


def _layout(space: Space, goals: Goals, keys: tuple[str, ...], extras: bool) -> _Layout:
    params, notes, outcomes = [], [], []
    for key in keys:
        if key in _FIELDS:
            continue
        name, outcome = key.removeprefix(PARAM), outcome_named(key, space, goals)
        if outcome is not None:
            outcomes.append((key, outcome))
        elif space.named(name) or space.named(key):
            params.append((key, name if space.named(name) else key))
        elif key == FEASIBLE and goals.constraints:
            continue  # which the outcomes say
        elif key.startswith(NOTE) or extras:
            notes.append((key, key.removeprefix(NOTE)))
        else:
            meant = hint(key, [*space.names, *(goals.names if goals.named else ()), *USED])
            raise ParamsError(
                f"{shown(key)} is no field and no parameter: expected {meant}; to keep it as a note, call it "
                f"{NOTE}{key[:80]}"
            )
    fields = [(key, name) for key, name in _ALIASES.items() if key in keys and name not in keys]
    fields += [(name, name) for name in USED if name in keys]
    nullable = frozenset(
        name for _, name in params for leaf in space.named(name) if None in getattr(leaf.parameter, "choices", ())
    )
    return _Layout(tuple(fields), "params" in keys, tuple(params), tuple(notes), tuple(outcomes), nullable)


def _params(row: Mapping[str, Any], layout: _Layout) -> Mapping[str, Any] | None:
    """The params as they are given, without empty cells; None if there are none."""
    if layout.whole and not _is_absent(row["params"]):
        params: Mapping[str, Any] = row["params"]
        return params
    return {name: row[key] for key, name in layout.params if not _is_nan(row[key])} or None


def _filled(space: Space, given: Mapping[str, Any], layout: _Layout) -> Mapping[str, Any]:
    """The params of a row of a table: its empty cells are the choice None, where that is one and the parameter is
    there at all."""
    if not layout.nullable or layout.whole:
        return given
    filled = dict(given)
    for leaf in space.leaves:
        if leaf.name in layout.nullable and leaf.name not in filled and None in getattr(leaf.parameter, "choices", ()):
            with suppress(KeyError):  # what it depends on is missing, which validate() says
                if is_active(space.leaves, leaf.under, filled):
                    filled[leaf.name] = None
    return filled


def _state(said: Mapping[str, Any]) -> TrialState:
    """What is said, or what the other fields mean: a value is a result, a reason a failure."""
    if "state" in said:
        found = _STATES.get(text_of(said["state"]) or "")
        if found is None:
            raise ParamsError(f"state: got {shown(said['state'])}, expected one of {', '.join(_STATES)}")
        return found
    if "value" in said or "outcomes" in said:
        return TrialState.COMPLETED
    if "reason" in said:
        return TrialState.FAILED
    raise ParamsError("it has no value: expected one, or the state failed (with a reason) or waiting (to evaluate it)")


def _is_absent(value: object) -> bool:
    return value is None or _is_nan(value)


def _is_nan(value: object) -> bool:
    """Is it what a table has in an empty cell? NaN, or the NaT of pandas, which is a datetime: both differ from
    themselves."""
    return isinstance(value, float | datetime) and value != value


def _mapping(name: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
    value = said.get(name, {})
    if not isinstance(value, Mapping):
        raise ParamsError(f"{name}: got {shown(value)}, expected a mapping")
    return value


def _text(name: str, said: Mapping[str, Any]) -> str | None:
    text = text_of(said.get(name))
    if text is None and name in said:
        raise ParamsError(f"{name}: got {shown(said[name])}, expected a text")
    return text


def _seconds(said: Mapping[str, Any]) -> float | None:
    seconds = number_of(said.get("seconds"))
    if "seconds" in said and (seconds is None or seconds < 0.0):
        raise ParamsError(f"seconds: got {shown(said['seconds'])}, expected a number from 0")
    return seconds


def _time(name: str, said: Mapping[str, Any]) -> float | None:
    """Seconds since the epoch, from a number, a datetime or an ISO text."""
    given = plain(said.get(name))
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
        found = moment.timestamp() if isinstance(moment, datetime) else number_of(moment)
    except (ValueError, OverflowError, OSError):
        found = None
    if found is None or found < 0.0:
        raise ParamsError(f"{name}: got {shown(given)}, expected seconds since 1970 or a date with a time")
    return found
