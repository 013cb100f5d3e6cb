"""A worker's own copy of a study's trials, kept up to date by the changes that each exchange brings.

Applying a change costs O(1). Results go to the end of a list, in completion order: the data of version v are always the
first v of them. Points are encoded once, and all that are new together when somebody asks: that costs as much as one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nonstop.space import Space
from nonstop.space.encoding import cube_of, encode_many
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array, Params


class Mirror:
    """Belongs to one thread; everything in it came from the storage."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.cursor = 0
        self.version = 0
        self.trials: dict[int, Trial] = {}
        self.completed: list[int] = []  # numbers in completion order
        self.newest_fit: int | None = None  # the highest-numbered trial that recorded hyperparameters
        self._states: dict[TrialState, set[int]] = {state: set() for state in TrialState}
        self._values: list[float] = []  # of the completed
        self._points = np.empty((16, cube_of(space).dim))  # by number
        self._new: list[int] = []  # numbers of trials whose params are not yet among the points

    def apply(self, changes: Iterable[Trial]) -> None:
        """Take in changes, oldest first, each trial in its newest state."""
        for trial in changes:
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
        if trial.value is not None and (old is None or old.value is None):
            assert trial.order == self.version + 1, "the storage delivered results out of order"
            self.completed.append(trial.number)
            self._values.append(trial.value)
            self.version += 1

    def data(self, version: int) -> tuple[Array, Array]:
        """Points (version, dim) and values (version,) of the first `version` results."""
        self._encode()
        return self._points[self.completed[:version]], np.array(self._values[:version])

    def numbers(self, *states: TrialState) -> list[int]:
        return sorted(number for state in states for number in self._states[state])

    def points(self, numbers: Iterable[int]) -> Array:
        """The encoded params of these trials, those without params left out."""
        self._encode()
        return self._points[[number for number in numbers if self.trials[number].params is not None]]

    def _encode(self) -> None:
        if self._new:
            while max(self._new) >= len(self._points):
                self._points = np.concatenate([self._points, np.empty_like(self._points)])
            many = [self.trials[number].params or {} for number in self._new]
            self._points[self._new] = encode_many(self.space, many)
            self._new = []

    def tried(self, params: Params) -> bool:
        """Does a trial have these very params? Only asked while a study is young."""
        return any(trial.params == params for trial in self.trials.values())
