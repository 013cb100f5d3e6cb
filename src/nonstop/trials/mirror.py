"""A worker's own copy of a study's trials, kept up to date by the changes that each exchange brings.

Applying a change costs O(1). Results are appended to a list, in completion order: the data of version v are always its
first v. Points are encoded once, and all new ones together when they are needed: that costs about as much as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType

import numpy as np

from nonstop.errors import StorageError
from nonstop.space import Space
from nonstop.space.encoding import cube_of, encode_many
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array, Params
from nonstop.wording import shown


class Mirror:
    """The trials of a study, and their encoded points. Belongs to one thread."""

    def __init__(self, space: Space) -> None:
        self.space = space
        #: The sequence number of the latest change that was applied.
        self.cursor = 0
        #: How many results there are.
        self.version = 0
        #: By number.
        self.trials: dict[int, Trial] = {}
        #: Numbers of the completed trials, in completion order.
        self.completed: list[int] = []
        #: The highest-numbered trial that recorded hyperparameters.
        self.newest_fit: int | None = None
        self._states: dict[TrialState, set[int]] = {state: set() for state in TrialState}
        self._values: list[float] = []  # of the completed trials; NaN where there are several objectives
        self._points = np.empty((16, cube_of(space).dim))  # by number
        self._new: list[int] = []  # numbers of trials whose params are not yet encoded

    def apply(self, changes: Iterable[Trial]) -> None:
        """Apply changes, oldest first, each trial in its newest state."""
        for trial in changes:
            if not _is_sound(trial):
                raise StorageError(f"the storage is damaged: it has the trial {shown(trial)}")
            self._replace(trial)
            self.cursor = max(self.cursor, trial.sequence)

    def _replace(self, trial: Trial) -> None:
        old = self.trials.get(trial.number)
        if old is not None:
            self._states[old.state].discard(trial.number)
        self.trials[trial.number] = trial
        self._states[trial.state].add(trial.number)
        if trial.diagnostics is not None and trial.diagnostics.hyperparameters is not None:
            self.newest_fit = max(trial.number, -1 if self.newest_fit is None else self.newest_fit)
        if trial.params is not None and (old is None or old.params is None):
            self._new.append(trial.number)
        if trial.state is TrialState.COMPLETED and (old is None or old.state is not TrialState.COMPLETED):
            if trial.order != self.version + 1:
                raise StorageError(f"the storage is damaged: trial {trial.number} is not result {self.version + 1}")
            self.completed.append(trial.number)
            self._values.append(math.nan if trial.value is None else trial.value)
            self.version += 1

    def data(self, version: int) -> tuple[Array, Array]:
        """Points (version, dim) and values (version,) of the first `version` results."""
        self._encode()
        return self._points[self.completed[:version]], np.array(self._values[:version])

    def outcomes(self, version: int, names: Sequence[str]) -> Array:
        """The outcomes of these names (version, names) of the first `version` results."""
        rows = (self.trials[number].outcomes for number in self.completed[:version])
        try:
            return np.array([[row[name] for name in names] for row in rows]).reshape(-1, len(names))
        except KeyError as error:
            raise StorageError(f"the storage is damaged: a result has no outcome {error}") from None

    def numbers(self, *states: TrialState) -> list[int]:
        """The numbers of the trials in these states, in order."""
        return sorted(number for state in states for number in self._states[state])

    def points(self, numbers: Iterable[int]) -> Array:
        """The encoded params of these trials; those without params are left out."""
        self._encode()
        return self._points[[number for number in numbers if self.trials[number].params is not None]]

    def _encode(self) -> None:
        if self._new:
            if max(self._new) > 10 * len(self.trials) + 10_000:  # numbers have no gaps
                raise StorageError(f"the storage is damaged: it has a trial {max(self._new)}")
            while max(self._new) >= len(self._points):
                self._points = np.concatenate([self._points, np.empty_like(self._points)])
            many = [self.trials[number].params or {} for number in self._new]
            self._points[self._new] = encode_many(self.space, many)
            self._new = []

    def tried(self) -> frozenset[object]:
        """The params of all trials, as key_of() gives them. Reads all trials: for the first trials of a study."""
        return frozenset(key_of(trial.params) for trial in self.trials.values() if trial.params is not None)


def key_of(params: Params) -> object:
    """Equal for equal params, whatever their order, and hashable."""
    return frozenset(params.items())


_TIME = (float, int, NoneType)
_TEXT = (str, NoneType)


def _is_sound(trial: Trial) -> bool:
    """Are its fields of their types? In a damaged file, SQLite may find anything in any column."""
    whole = all(type(it) is int for it in (trial.number, trial.version, trial.seed, trial.attempt, trial.sequence))
    times = all(isinstance(it, _TIME) for it in (trial.asked_at, trial.started_at, trial.finished_at, trial.order))
    texts = isinstance(trial.worker, _TEXT) and isinstance(trial.reason, _TEXT)
    return (
        whole and times and texts and trial.number >= 0 and (trial.params is None or isinstance(trial.params, Mapping))
    )
