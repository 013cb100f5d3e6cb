"""GridSearchCV and RandomizedSearchCV as scikit-learn's own tests call them, with NonstopSearchCV doing the work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

import nonstop
from nonstop.integrations.sklearn import NonstopSearchCV, count_of
from nonstop.storage.memory import MemoryStorage


def translated(given: Any) -> Any:
    """A grid, or distributions, as a nonstop.Space; what is none as it is. Of several grids, a parameter that has one
    value in each says which one it is."""
    if isinstance(given, list) and len(given) == 1:
        return translated(given[0])
    if isinstance(given, list) and all(isinstance(grid, Mapping) for grid in given):
        names = [name for name in given[0] if all(len(_listed(grid.get(name, ()))) == 1 for grid in given)]
        inner = {grid[names[0]][0]: translated(_without(grid, names[0])) for grid in given} if names else {}
        return nonstop.Space({names[0]: nonstop.Categorical(inner)}) if names else given
    if not isinstance(given, Mapping):
        return given
    return nonstop.Space({name: _parameter(values) for name, values in given.items()})


def objects(given: Any) -> dict[str, dict[str, Any]] | None:
    """What stands for values that are no scalars."""
    grids = given if isinstance(given, list) else [given] if isinstance(given, Mapping) else []
    return {name: _named(values) for grid in grids for name, values in grid.items() if _odd(values)} or None


def _without(grid: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: values for key, values in grid.items() if key != name}


def _listed(values: Any) -> list[Any]:
    return [] if hasattr(values, "rvs") else list(values)


def _odd(values: Any) -> bool:
    """Are there values that nonstop has no choices for: objects, or the same one twice?"""
    listed = [_plain(value) for value in _listed(values)]
    scalars = all(isinstance(value, str | int | float | None) for value in listed)
    return not scalars or len(set(listed)) < len(listed)


def _named(values: Any) -> dict[str, Any]:
    return {f"value {index}": value for index, value in enumerate(values)}


def _parameter(values: Any) -> Any:
    if hasattr(values, "rvs"):
        low, high = (float(values.ppf(q)) for q in (0.01, 0.99))
        return nonstop.Int(int(low), int(high)) if hasattr(values, "pmf") else nonstop.Float(low, high)
    return nonstop.Categorical(list(_named(values)) if _odd(values) else [_plain(value) for value in values])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def named(given: Any) -> list[dict[str, list[Any]]]:
    """Grids whose values are choices of the translated space."""
    grids = given if isinstance(given, list) else [given]
    return [{name: list(_named(v)) if _odd(v) else list(v) for name, v in grid.items()} for grid in grids]


def enqueued(space: nonstop.Space, points: Iterable[Mapping[str, Any]]) -> MemoryStorage:
    """A storage with a study, "given", whose next candidates are these points: tests rely on scikit-learn's order."""
    storage = MemoryStorage()
    study = nonstop.create_study(storage, "given", space=space, direction="maximize")
    for point in points:
        study.enqueue({name: _plain(value) for name, value in point.items()})
    return storage


class Grid(NonstopSearchCV):
    """With the arguments of GridSearchCV: as many candidates as the grid has points, so that all are tried."""

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        assert pre_dispatch
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_grid = param_grid

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        self.space, self.objects = translated(self.param_grid), objects(self.param_grid)
        self.n_iter, self.storage, self.study_name = 1, None, "given"
        if isinstance(self.space, nonstop.Space):
            points = ParameterGrid(named(self.param_grid))
            self.n_iter, self.storage = len(points), enqueued(self.space, points)
        return super().fit(X, y, **params)


class Randomized(NonstopSearchCV):
    """With the arguments of RandomizedSearchCV."""

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 10,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        assert pre_dispatch
        super().__init__(
            estimator,
            param_distributions,
            n_iter=n_iter,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            random_state=random_state,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_distributions = param_distributions

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        self.space, self.objects = translated(self.param_distributions), objects(self.param_distributions)
        given = self.n_iter, self.random_state
        size = count_of(self.space) if isinstance(self.space, nonstop.Space) else None
        if size is not None and not any(hasattr(values, "rvs") for values in self.param_distributions.values()):
            grids = named(self.param_distributions)
            points = ParameterSampler(grids, min(self.n_iter, size), random_state=self.random_state)
            self.storage, self.study_name = enqueued(self.space, points), "given"
            self.n_iter, self.random_state = min(self.n_iter, size), None
        try:
            return super().fit(X, y, **params)
        finally:
            self.n_iter, self.random_state = given
