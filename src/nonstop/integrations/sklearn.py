"""scikit-learn: hyper-parameters by asynchronous Bayesian optimization, with the interface of RandomizedSearchCV."""

from __future__ import annotations

import copy
import hashlib
import math
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import Any

import numpy as np

from nonstop.acquisition.rule import Rule
from nonstop.arguments import whole
from nonstop.errors import MissingExtraError, SpaceError, StudyError
from nonstop.space import Categorical, Space
from nonstop.space.parameters import size_of
from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage
from nonstop.studies import create_study
from nonstop.study import Study
from nonstop.wording import hint, shown

try:
    from sklearn.utils import check_random_state

    from nonstop.integrations.sklearn_private import BaseSearchCV, attached
except ImportError as error:
    raise MissingExtraError("nonstop.integrations.sklearn", "sklearn") from error

from nonstop.integrations.sklearn_candidates import Search, Terms, is_of_a_search

__all__ = ["NonstopSearchCV"]


class NonstopSearchCV(BaseSearchCV):  # type: ignore[misc, unused-ignore]
    """Searches the hyper-parameters of an estimator, asynchronously: the moment a job is free it gets the next fit, and
    each candidate is proposed from everything that is known by then, with the candidates under way as busy points.

    `space` is a nonstop.Space, or a mapping from names of parameters, such as `svc__C`, to nonstop.Float, Int, Ordinal
    or Categorical. A parameter that is inactive in a candidate is not set. Choices are texts or numbers; `objects` says
    what they stand for, where the estimator wants something else: {"model": {"svc": SVC(), "ridge": Ridge()}}. `n_iter`
    is the number of candidates; `random_state` makes the search reproducible if it has one job.

    `n_jobs` fits run at once, on the active backend of joblib; or on `executor`, any concurrent.futures.Executor, in
    each of its slots.

    With `storage` (a URL such as "sqlite:///search.db") and `study_name`, what was found is kept: after a crash, fit()
    with the same arguments goes on, and several processes can share the search. `rule` is the acquisition rule.

    `scoring`, `refit`, `cv`, `verbose`, `error_score` and `return_train_score` are those of RandomizedSearchCV. So are
    the attributes after fit(): `cv_results_`, `best_params_`, `best_estimator_` and so on. Of several scores, the one
    that `refit` names is maximised, or the first. A candidate of which a fit fails is a failed trial, and the model
    learns where they are. `study_` is the nonstop.Study, for figures; it is not pickled, and neither is the executor.
    """

    _required_parameters = ("estimator", "space")  # scikit-learn before 1.6 asks

    def __init__(
        self,
        estimator: Any,
        space: Any,
        *,
        objects: Mapping[str, Mapping[Any, Any]] | None = None,
        n_iter: int = 50,
        scoring: Any = None,
        n_jobs: int | None = None,
        executor: Executor | None = None,
        refit: bool | str | Callable[[Mapping[str, Any]], int] = True,
        cv: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        rule: str | Rule | None = None,
        storage: str | Storage | None = None,
        study_name: str | None = None,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch="all",  # of fits that wait for their params
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.space = space
        self.objects = objects
        self.n_iter = n_iter
        self.executor = executor
        self.random_state = random_state
        self.rule = rule
        self.storage = storage
        self.study_name = study_name

    def fit(self, X: Any, y: Any = None, **params: Any) -> NonstopSearchCV:
        """Search, and refit the best candidate; `params` go to the estimator, the scorers and the splitter."""
        if self.executor is not None and not isinstance(self.executor, Executor):
            raise StudyError(f"executor must be a concurrent.futures.Executor, not {shown(self.executor)}")
        with ExitStack() as stack:
            backend, detach = attached(self.executor, self.n_jobs)
            stack.callback(detach)
            stack.callback(self.__dict__.pop, "_during_fit")
            self._during_fit = backend, detach, identity(self, X, y) if self.storage is not None else ""
            super().fit(X, y, **params)
        return self

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        """What BaseSearchCV.fit() calls when it has prepared everything."""
        backend, detach, identity = self._during_fit
        detach()  # BaseSearchCV has the backend by now; fits, and the refit, are to have the one that was active
        study = self._opened_study()
        n_candidates = self._n_candidates(study)
        terms = Terms(
            n_candidates,
            identity,
            _names_of(self.scoring),
            self.refit if isinstance(self.refit, str) else None,
            math.nan if self.error_score == "raise" else self.error_score,
            self.return_train_score,
            objects_of(self.objects, study.spec.space),
        )
        backend.conduct = Search(study, backend, terms).conduct
        candidates: list[dict[str, Any]] = [{} for _ in range(n_candidates)]
        if callback_ctx is None:
            evaluate_candidates(candidates)
        else:  # from scikit-learn 1.9
            fits = n_candidates * self.n_splits_
            search = callback_ctx.subcontext(task_name="search", max_subtasks=fits, sequential_subtasks=False)
            search.call_on_fit_task_begin(estimator=self)
            evaluate_candidates(candidates, callback_ctx=search)
            search.call_on_fit_task_end(estimator=self)
        self.study_ = study

    def _opened_study(self) -> Study:
        """The study of the search: a new one in memory, or one that goes on."""
        if self.storage is not None and self.study_name is None:
            raise StudyError("a search in a storage needs a study_name, by which fit() finds it again")
        # In a storage, no random_state is the seed that is stored.
        fresh = self.random_state is not None or self.storage is None
        seed = int(check_random_state(self.random_state).randint(2**31 - 1)) if fresh else None
        return create_study(
            self.storage,
            self.study_name,
            space=space_of(self.space),
            direction="maximize",
            rule=self.rule,
            seed=seed,
            load_if_exists=self.storage is not None,
        )

    def _n_candidates(self, study: Study) -> int:
        """How many candidates the results have: n_iter, or as many as there are to try, or were stored before."""
        wanted = whole("n_iter", self.n_iter, StudyError, least=1)
        size = count_of(study.spec.space)
        if size is not None and size < wanted:
            warnings.warn(f"the space has {size} points only, fewer than n_iter={wanted}: all are tried", stacklevel=3)
            wanted = size
        study.storage.set_budget(study.id, wanted)
        return max(wanted, sum(trial.state.finished and is_of_a_search(trial) for trial in study.trials))

    def __sklearn_clone__(self) -> NonstopSearchCV:
        """A copy that is not fitted. What runs fits and what keeps results cannot be copied: the copy has the same."""
        bare = copy.copy(self)
        bare.executor = bare.storage = None
        cloned: NonstopSearchCV = BaseSearchCV.__sklearn_clone__(bare)
        cloned.executor, cloned.storage = self.executor, self.storage
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled, also with each fit: all but what is of this process only."""
        state = {name: value for name, value in super().__getstate__().items() if name not in _NOT_PICKLED}
        storage = None if isinstance(self.storage, MemoryStorage) else self.storage
        return {**state, "executor": None, "storage": storage}


_NOT_PICKLED = ("study_", "_during_fit")


def space_of(given: object) -> Space:
    """The space of a search; SpaceError, with the way to write it, if it is one of scikit-learn's."""
    if not isinstance(given, Mapping):
        raise SpaceError(f"space must be a nonstop.Space, or a mapping from names to parameters, not {shown(given)}")
    for name, parameter in given.items():
        instead = _as_parameter(parameter)
        if instead is not None:
            raise SpaceError(f"parameter {shown(name)}: got {shown(parameter)}, expected {instead}")
    return given if isinstance(given, Space) else Space(given)


def _as_parameter(given: Any) -> str | None:
    """How to write what RandomizedSearchCV would take: a list of values, or a distribution of SciPy."""
    if isinstance(given, list | tuple | np.ndarray):
        return f"nonstop.Categorical({list(given)!r}), or a range: nonstop.Float(low, high), nonstop.Int(low, high)"
    if not hasattr(given, "rvs"):
        return None
    if not hasattr(given, "support"):
        return "nonstop.Float(low, high)"
    discrete = hasattr(given, "pmf")
    low, high = (int(bound) if discrete and math.isfinite(bound) else float(bound) for bound in given.support())
    if getattr(getattr(given, "dist", None), "name", "") in ("loguniform", "reciprocal"):
        return f"nonstop.Float({low}, {high}, log=True)"
    return f"nonstop.{'Int' if discrete else 'Float'}({low}, {high})"


def objects_of(given: object, space: Space) -> Mapping[str, Mapping[Any, Any]]:
    """What choices stand for; SpaceError if it does not fit the space."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(meant, Mapping) for meant in given.values()):
        raise SpaceError(
            f"objects must be a mapping from parameters to what each choice stands for, not {shown(given)}"
        )
    for name, meant in given.items():
        leaves = space.named(name)
        if not leaves:
            raise SpaceError(f"objects: got {shown(name)}, expected {hint(name, space.names)}")
        for leaf in leaves:
            missing = [choice for choice in getattr(leaf.parameter, "choices", [None]) if choice not in meant]
            if missing:
                raise SpaceError(f"objects: nothing is given for {shown(name)} = {shown(missing[0])}")
    return given


def count_of(space: Space) -> int | None:
    """How many points a space has; None if these are infinitely many, or if constraints make them hard to count."""
    if space.constraints:
        return None
    counts = []
    for parameter in space.values():
        if isinstance(parameter, Categorical) and parameter.branches:
            inner = [1 if branch is None else count_of(branch) for branch in parameter.branches]  # type: ignore[arg-type]
            counts.append(None if None in inner else sum(inner))  # type: ignore[arg-type]
        else:
            counts.append(size_of(parameter))
    return None if None in counts else math.prod(counts)  # type: ignore[arg-type]


def identity(search: NonstopSearchCV, X: object, y: object) -> str:
    """A text that differs between searches on different data, with different estimators or different scores."""
    digest = hashlib.sha256(f"{type(search.estimator).__qualname__} {_score(search.scoring)}".encode())
    for data in (X, y):
        digest.update(_bytes_of(data))
    return digest.hexdigest()[:32]


def _score(scoring: object) -> str:
    if callable(scoring):
        return getattr(scoring, "__qualname__", type(scoring).__qualname__)
    return scoring if isinstance(scoring, str) else repr(sorted(_names_of(scoring) or ()))


def _names_of(scoring: object) -> frozenset[str] | None:
    """The names of several scores, none if there is one only; None if only a call can tell."""
    if callable(scoring):
        return None
    return frozenset() if scoring is None or isinstance(scoring, str) else frozenset(scoring)  # type: ignore[call-overload]


def _bytes_of(data: Any) -> bytes:
    """The values of what estimators take as X or y: an array, a table, a sparse matrix, a list."""
    if hasattr(data, "tocsr"):
        rows = data.tocsr()
        return b"".join(_bytes_of(part) for part in (rows.data, rows.indices, rows.indptr))
    try:
        values = np.asarray(data)
    except ValueError:  # a list of lists of different lengths
        values = np.asarray(None)
    exact = values.tobytes() if values.dtype != object else repr(values.tolist()).encode("utf-8", "replace")
    return f"{values.shape}".encode() + exact
