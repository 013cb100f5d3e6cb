"""A study of Optuna, read from its database; Optuna itself is not needed.

Its tables are those of optuna.storages.RDBStorage (Optuna 2.4 to 5). What a trial did not suggest, its study does not
know: the space is what the trials had. Its times are in the local time of who ran them, and are taken for ours.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from nonstop.errors import DataError, MissingExtraError, SpaceError, StorageError
from nonstop.files.conditions import tree_of
from nonstop.space import Categorical, Float, Int, Parameter, Space
from nonstop.types import Direction
from nonstop.wording import shown, without_passwords

_STUDIES: Final = text("SELECT study_id, study_name FROM studies ORDER BY study_id")
_DIRECTIONS: Final = text("SELECT direction FROM study_directions WHERE study_id = :study ORDER BY objective")
_TRIALS: Final = text(
    "SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials WHERE study_id = :study "
    "ORDER BY number"
)
_OF_TRIALS: Final = "FROM {table} WHERE trial_id IN (SELECT trial_id FROM trials WHERE study_id = :study)"
_PARAMS: Final = text(
    f"SELECT trial_id, param_name, param_value, distribution_json {_OF_TRIALS.format(table='trial_params')} "
    "ORDER BY param_id"
)
_NAMES: Final = text(
    "SELECT value_json FROM study_system_attributes WHERE study_id = :study AND key = 'study:metric_names'"
)
_VALUES: Final = text(f"SELECT trial_id, objective, value {_OF_TRIALS.format(table='trial_values')}")
_NOTES: Final = text(f"SELECT trial_id, key, value_json {_OF_TRIALS.format(table='trial_user_attributes')}")


@dataclass(frozen=True, slots=True)
class Distribution:
    """What one trial said about a parameter."""

    #: float, int or categorical.
    kind: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class OptunaStudy:
    """A study of Optuna, in our words."""

    name: str
    #: One for each objective, by the name that Optuna has for it.
    objectives: Mapping[str, Direction]
    #: For nonstop.trials.rows, one for each trial that ended with a value or a failure.
    rows: Sequence[Mapping[str, Any]]
    #: For each parameter, what the trials said about it.
    distributions: Mapping[str, Sequence[Distribution]]
    #: How many trials were left out, by why.
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def goals(self) -> dict[str, Any]:
        """What create_study() has to be told: objectives, or the direction of the only one."""
        if len(self.objectives) > 1:
            return {"objectives": self.objectives}
        return {"direction": next(iter(self.objectives.values()))}


def read_optuna(url: str, name: str | None = None) -> OptunaStudy:
    """The study of that name, or the only one; StorageError or DataError says what is wrong."""
    address = _address(url)
    _check_driver(address)
    engine = create_engine(address, hide_parameters=True)
    try:
        with engine.connect() as connection:
            return _study(connection, name)
    except SQLAlchemyError as error:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise StorageError(f"{without_passwords(url)} is no database of Optuna that can be read: {why}") from None
    finally:
        engine.dispose()


def _check_driver(address: URL) -> None:
    try:
        address.get_dialect().import_dbapi()
    except (ImportError, NoSuchModuleError):
        if address.get_backend_name() == "postgresql":
            raise MissingExtraError("an Optuna study in PostgreSQL", "postgres") from None
        raise StorageError(f"the driver for {address.drivername} is not installed") from None


def _address(url: str) -> URL:
    """For reading only; StorageError if there is nothing to read."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise StorageError("this is no URL of a database: write sqlite:///FILE or postgresql://…") from None
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() == "sqlite":
        path = Path(parsed.database or "")
        if not path.is_file():
            raise StorageError(f"there is no file {path}")
        return parsed.set(database=f"file:{path.absolute()}").update_query_dict({"mode": "ro", "uri": "true"})
    return parsed


def _study(connection: Connection, name: str | None) -> OptunaStudy:
    known = {row.study_name: row.study_id for row in connection.execute(_STUDIES)}
    if name is None and len(known) == 1:
        (name,) = known
    if name not in known:
        there = ", ".join(map(shown, list(known)[:20])) or "none"
        raise DataError(f"which study of Optuna? There is {there}" if name is None else _no_study(name, there))
    at = {"study": known[name]}
    directions = [str(row.direction).lower() for row in connection.execute(_DIRECTIONS, at)]
    if not directions or not set(directions) <= {"minimize", "maximize"}:
        raise DataError(f"{shown(name)} has the directions {shown(directions)}: expected minimize or maximize")
    objectives = dict(zip(_names(connection, at, len(directions)), directions, strict=True))
    rows, distributions, left_out = _rows(connection, at, list(objectives))
    return OptunaStudy(str(name), cast("Mapping[str, Direction]", objectives), rows, distributions, left_out)


def _names(connection: Connection, at: Mapping[str, int], count: int) -> list[str]:
    """What Optuna calls the objectives; it numbers them where nobody named them."""
    stored = connection.execute(_NAMES, at).scalar()
    names = json.loads(stored) if stored else []
    return names if len(set(names)) == count else [f"values_{place}" for place in range(count)]


def _no_study(name: str, there: str) -> str:
    return f"Optuna has no study {shown(name)} there; studies: {there}"


def _rows(
    connection: Connection, at: Mapping[str, int], objectives: Sequence[str]
) -> tuple[list[Any], dict[str, list[Distribution]], Counter[str]]:
    params: dict[int, dict[str, Any]] = {}
    said: dict[int, dict[str, Distribution]] = {}
    for trial, name, internal, described in connection.execute(_PARAMS, at):
        distribution = distribution_of(name, described)
        params.setdefault(trial, {})[name] = external(distribution, internal)
        said.setdefault(trial, {})[name] = distribution
    values: dict[int, dict[str, float]] = {}
    for trial, objective, value in connection.execute(_VALUES, at):
        if value is not None and objective < len(objectives):
            values.setdefault(trial, {})[objectives[objective]] = value
    notes: dict[int, dict[str, Any]] = {}
    for trial, key, value in connection.execute(_NOTES, at):
        notes.setdefault(trial, {})[key] = json.loads(value)
    rows, left_out = [], Counter[str]()
    distributions: dict[str, list[Distribution]] = {}
    trials = connection.execute(_TRIALS, at).all()
    known = {frozenset(params.get(row.trial_id, ())) for row in trials if row.state == "COMPLETE"}
    for trial, number, state, started, finished in trials:
        if state not in ("COMPLETE", "FAIL") or (state == "FAIL" and frozenset(params.get(trial, ())) not in known):
            left_out["failed before all parameters were suggested" if state == "FAIL" else str(state).lower()] += 1
            continue
        for name, distribution in said.get(trial, {}).items():
            distributions.setdefault(name, []).append(distribution)
        found = values.get(trial, {}) if state == "COMPLETE" else {}
        complete = len(found) == len(objectives)
        row = {"number": number, "params": params.get(trial, {}), "notes": notes.get(trial, {})}
        if complete:
            row |= {"outcomes": found} if len(found) > 1 else {"value": found[objectives[0]]}
        row |= {"state": "completed" if complete else "failed", "started_at": _time(started)}
        why = "failed in Optuna" if state == "FAIL" else "no finite value in Optuna"
        rows.append({**row, "finished_at": _time(finished), "reason": None if complete else why})
    return rows, distributions, left_out


def _time(moment: object) -> float | None:
    found = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return found.timestamp() if isinstance(found, datetime) else None


def distribution_of(name: str, described: str) -> Distribution:
    """The distribution that Optuna stores as JSON, those of its earlier versions included."""
    try:
        found = json.loads(described)
        kind, about = found["name"], found["attributes"]
        if kind == "CategoricalDistribution":
            return Distribution("categorical", choices=tuple(about["choices"]))
        low, high, log = about["low"], about["high"], bool(about.get("log", "Log" in kind))
        step = about.get("step", about.get("q"))
        if "Int" in kind:
            return Distribution("int", low, high, log, None if step in (None, 1) else step)
        return Distribution("float", float(low), float(high), log, step)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DataError(f"parameter {shown(name)}: the distribution {shown(described)} is unknown") from None


def external(distribution: Distribution, internal: float) -> Any:
    """The value of a parameter: Optuna stores numbers, and the place of a choice."""
    if distribution.kind == "categorical":
        return distribution.choices[int(internal)]
    return int(internal) if distribution.kind == "int" else internal


def space_of(study: OptunaStudy) -> tuple[Space, list[str]]:
    """The space of the trials, and what it leaves out; SpaceError if they have no common one."""
    if not study.rows:
        raise SpaceError(f"{shown(study.name)} has no result, so its space is not known")
    remarks: list[str] = []
    declared = {name: _parameter(name, said, remarks) for name, said in study.distributions.items()}
    space, conditions = tree_of([row["params"] for row in study.rows], declared.__getitem__)
    return space, [*remarks, *conditions]


def _parameter(name: str, said: Sequence[Distribution], remarks: list[str]) -> Parameter:
    """One parameter with room for all values: ranges may differ between trials, kinds and choices may not."""
    kinds = {(one.kind, one.choices) for one in said}
    if len(kinds) > 1:
        raise SpaceError(
            f"parameter {shown(name)} is of different kinds: {', '.join(sorted(kind for kind, _ in kinds))}"
        )
    kind, choices = next(iter(kinds))
    if kind == "categorical":
        return Categorical(choices)
    low, high = min(one.low for one in said), max(one.high for one in said)
    log = all(one.log for one in said)
    steps = {(one.step, one.low % one.step if one.step else 0.0) for one in said}
    step = next(iter(steps))[0] if len(steps) == 1 else None
    if step is None and steps != {(None, 0.0)}:
        remarks.append(f"{name} had different steps, and may now have any value")
    return Float(low, high, log, step) if kind == "float" else Int(int(low), int(high), log, step)
