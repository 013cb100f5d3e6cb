"""A worker's own copy of a study's trials, kept up to date by the changes that each exchange brings.

Applying a change costs O(1): completed points and values go to the end of growing arrays, in completion order, so the
data of version v are always the first v rows.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nonstop.encoding import cube_of, encode, encode_many
from nonstop.space import Space
from nonstop.storage.contract import Exchange
from nonstop.surrogate.linalg import Array
from nonstop.trial import Params, Trial, TrialState


class Mirror:
    """Belongs to one thread; everything in it came from the storage."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.cursor = 0
        self.version = 0
        self.trials: dict[int, Trial] = {}
        self.completed: list[int] = []  # numbers in completion order
        self.owners: set[str] = set()
        self.newest_fit: int | None = None  # the highest-numbered trial that recorded hyperparameters
        self._states: dict[TrialState, set[int]] = {state: set() for state in TrialState}
        self._points = np.empty((16, cube_of(space).dim))
        self._values = np.empty(16)

    def apply(self, exchange: Exchange) -> None:
        for trial in exchange.changes:
            self._replace(trial)
        self.cursor = max(self.cursor, exchange.cursor)

    def _replace(self, trial: Trial) -> None:
        old = self.trials.get(trial.number)
        if old is not None:
            self._states[old.state].discard(trial.number)
        self.trials[trial.number] = trial
        self._states[trial.state].add(trial.number)
        if trial.owner is not None and trial.params is not None:
            self.owners.add(trial.owner)
        if "lengthscales" in trial.diagnostics:
            self.newest_fit = max(trial.number, -1 if self.newest_fit is None else self.newest_fit)
        if trial.order is not None and (old is None or old.order is None):
            self._append(trial)

    def _append(self, trial: Trial) -> None:
        assert trial.order == self.version + 1, "the storage delivered results out of order"
        assert trial.params is not None
        assert trial.value is not None
        if self.version == len(self._values):
            self._points = np.concatenate([self._points, np.empty_like(self._points)])
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        self._points[self.version] = encode(self.space, trial.params)
        self._values[self.version] = trial.value
        self.completed.append(trial.number)
        self.version += 1

    def data(self, version: int) -> tuple[Array, Array]:
        """Points (version, dim) and values (version,) of the first `version` results."""
        return self._points[:version], self._values[:version]

    def numbers(self, *states: TrialState) -> list[int]:
        return sorted(number for state in states for number in self._states[state])

    def points(self, numbers: Iterable[int]) -> Array:
        """The encoded params of these trials, those without params left out."""
        given = [self.trials[number].params for number in numbers]
        return encode_many(self.space, [params for params in given if params is not None])

    def tried(self, params: Params) -> bool:
        """Does a trial have these very params? Only asked while a study is young."""
        return any(trial.params == params for trial in self.trials.values())
