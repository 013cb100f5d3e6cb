"""Estimators for the tests of the search: they note what happens to them, wait, or fail."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

#: One split, so that a candidate is one fit.
ONE_SPLIT = [(list(range(10)), list(range(10, 20)))]
X = np.arange(20.0)[:, np.newaxis]
Y = np.arange(20) % 2


class Noting(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Its score is best at x = 0.3. `notes` is shared by all copies."""

    def __init__(self, x: float = 0.5, depth: int = 1, kind: str = "a", notes: Any = None) -> None:
        self.x = x
        self.depth = depth
        self.kind = kind
        self.notes = notes

    def fit(self, X: Any, y: Any) -> Noting:
        self.classes_ = np.unique(y)
        self.n_features_in_ = np.shape(X)[1]
        self.process_ = os.getpid()
        if self.notes is not None:
            self.notes.begin(self)
        return self

    def predict(self, X: Any) -> Any:
        return np.resize(self.classes_, len(X))

    def score(self, X: Any, y: Any) -> float:  # noqa: ARG002
        return float(-((self.x - 0.3) ** 2))


class Notes:
    """What all copies of an estimator share: cloning copies it by reference."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.begun: list[dict[str, Any]] = []

    def __deepcopy__(self, _memo: object) -> Notes:
        return self

    def begin(self, model: Noting) -> None:
        with self.lock:
            self.begun.append(model.get_params())


class HeldBack(Notes):
    """The first fit lasts until so many others have begun."""

    def __init__(self, others: int) -> None:
        super().__init__()
        self.others = others
        self.enough = threading.Event()
        self.in_time = True

    def begin(self, model: Noting) -> None:
        super().begin(model)
        if len(self.begun) > self.others:
            self.enough.set()
        if len(self.begun) == 1:
            self.in_time = self.enough.wait(30.0)


class Failing(Notes):
    """Fits above a value fail, with the given error."""

    def __init__(self, above: float, error: BaseException) -> None:
        super().__init__()
        self.above, self.error = above, error

    def begin(self, model: Noting) -> None:
        super().begin(model)
        if model.x > self.above:
            raise self.error


class Interrupted(Notes):
    """After so many fits comes Ctrl-C."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def begin(self, model: Noting) -> None:
        super().begin(model)
        if len(self.begun) > self.after:
            raise KeyboardInterrupt


class Deadly(Noting):
    """Some candidates end the process that fits them."""

    def fit(self, X: Any, y: Any) -> Noting:
        if self.x > 0.6:
            os._exit(7)
        return super().fit(X, y)
