"""Rows of a file into a study: all of them or none, and no trial twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from nonstop.errors import DataError
from nonstop.files.reading import READABLE, Row, read_rows
from nonstop.study import Study
from nonstop.trials.messages import Insert
from nonstop.trials.mirror import key_of
from nonstop.trials.rows import inserts_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do."""

    #: The trials to insert, by state.
    completed: int
    #: Those that failed.
    failed: int
    #: Those that are to be evaluated.
    waiting: int
    #: Rows that the study has already.
    known: int

    @property
    def new(self) -> int:
        """How many trials are new."""
        return self.completed + self.failed + self.waiting


def format_of(path: str) -> str:
    """The format that the name of a file tells; DataError if it tells none."""
    form = Path(path).suffix.removeprefix(".").lower()
    if form not in READABLE:
        raise DataError(f"the name of the file does not tell its format: expected one of {', '.join(READABLE)}")
    return form


def import_trials(study: Study, path: str | Path, *, form: str | None = None, again: bool = False) -> Imported:
    """Add the trials of a file that `nonstop export` wrote, or that looks like it, to a study.

    RowsError, and nothing is added, if a row is wrong. Trials that the study has are left out, unless `again`."""
    with Path(path).open(encoding="utf-8-sig", newline="") as stream:
        inserts = read_inserts(stream, form or format_of(str(path)), study.spec)
    return add(study, inserts, again)


def read_inserts(
    stream: IO[str], form: str, spec: Spec, value: str | None = None, raw: bool = False, extras: bool = False
) -> list[Insert]:
    """The trials of a stream; RowsError with all that is wrong with its rows."""
    rows = read_rows(stream, form, spec.space, spec.goals, value, raw)
    return inserts_of(spec.space, spec.goals, [row.data for row in rows], _where(rows, form), extras)


def _where(rows: Sequence[Row], form: str) -> _Where:
    return _Where(rows, "trial" if form == "json" else "line")


@dataclass(frozen=True, slots=True)
class _Where:
    rows: Sequence[Row]
    word: str

    def __call__(self, place: int) -> str:
        return f"{self.word} {self.rows[place].line}"


def add(study: Study, inserts: Sequence[Insert], again: bool = False, dry: bool = False) -> Imported:
    """Insert these trials, but for those that the study has already (unless `again`); if it is `dry`, only count."""
    trials = study.trials
    new = list(inserts) if again else not_yet(inserts, trials)
    states = [insert.state for insert in new]
    completed, failed, waiting = (states.count(state) for state in _STATES)
    done = Imported(completed, failed, waiting, known=len(inserts) - len(new))
    if dry or not new:
        return done
    study.insert(new)
    return done


_STATES = (TrialState.COMPLETED, TrialState.FAILED, TrialState.WAITING)


def not_yet(inserts: Iterable[Insert], trials: Iterable[Trial]) -> list[Insert]:
    """Those that are none of the trials. A result is one of them if it has the same params and value, and came at the
    same time if the row says when; what is to be evaluated, if there is a trial with the same params and notes."""
    known: dict[object, list[Trial]] = {}
    for trial in trials:
        if trial.params is not None:
            known.setdefault(key_of(trial.params), []).append(trial)
    return [
        insert for insert in inserts if not any(_is(insert, trial) for trial in known.get(key_of(insert.params), ()))
    ]


def _is(insert: Insert, trial: Trial) -> bool:
    if insert.state is TrialState.WAITING:
        return all(trial.notes.get(name) == note for name, note in insert.notes.items())
    same = (insert.state, insert.value, insert.outcomes) == (trial.state, trial.value, trial.outcomes)
    return same and insert.finished_at in (None, trial.finished_at)
