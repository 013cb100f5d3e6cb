"""All that nonstop knows of the inside of scikit-learn and joblib; the only file to change when they do.

Of scikit-learn: `BaseSearchCV.fit` gives `_run_search` a function that evaluates candidates, each of them by one call
of `_fit_and_score` for each split; which names these calls and their results have. Of joblib: its backends, by the
methods that those of others implement too.

`fit` wants to know all candidates before it evaluates the first one. It gets empty ones, and a joblib backend that
keeps their calls until somebody fills them in and says which one to run. So all that `fit` does besides (routing,
scorers, callbacks, refitting) is scikit-learn's own, whichever version it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeAlias

from joblib.parallel import ParallelBackendBase, get_active_backend, parallel_config
from sklearn.model_selection._search import BaseSearchCV

from nonstop.engines.executor import slots

__all__ = ["BaseSearchCV", "Evaluations", "Fit", "Result", "attached", "error_result"]

#: What one fit returns: test_scores (a number, or numbers by the name of the score), train_scores if they are wanted,
#: n_test_samples, fit_time, score_time, and fit_error (a traceback, or None).
Result: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """One fit and score: a candidate on a split. `params` is empty until somebody fills it."""

    call: Any
    tracker: Callable[[object], object]
    #: The value that the backend returned for it, if it waits to be asked for the result.
    handle: list[Any] = field(default_factory=list)

    @property
    def params(self) -> dict[str, Any]:
        """The params of the candidate, the same object in all of its fits."""
        ((_function, _arguments, keywords),) = self.call.items
        found: dict[str, Any] = keywords["parameters"]
        return found

    @property
    def test_samples(self) -> int:
        """How many samples the candidate is scored on."""
        ((_function, _arguments, keywords),) = self.call.items
        return len(keywords["test"])

    def hand_over(self, result: Result) -> None:
        """Give joblib the result, which gives it to scikit-learn."""
        self.tracker([result])


class Evaluations(ParallelBackendBase):  # type: ignore[misc, unused-ignore]
    """A joblib backend that keeps the calls it is given, and runs them when it is told to; first in the bases of a
    class whose other base really runs them."""

    supports_retrieve_callback = True
    #: The backend that really runs the calls.
    real: type[Any]

    def begin(self, retrieves: bool) -> None:
        """Before the first call."""
        self.fits: list[Fit] = []
        self.conduct: Callable[[], None] | None = None
        self.finished: SimpleQueue[tuple[Fit, Callable[[], list[Result]]]] = SimpleQueue()
        self.slots = 1
        self.inline = True
        self.retrieves = retrieves

    def configure(self, n_jobs: int = 1, parallel: Any = None, **options: Any) -> int:
        """How many calls may run at once; joblib is told at least 2, because it never asks a backend for 1."""
        self.slots = self.real.effective_n_jobs(self, n_jobs)
        self.inline = self.slots == 1 and not issubclass(self.real, OnExecutor)
        if self.inline:
            self.parallel = parallel
            return 2
        found: int = super().configure(n_jobs=n_jobs, parallel=parallel, **options)
        return found

    def effective_n_jobs(self, n_jobs: int) -> int:
        found: int = self.real.effective_n_jobs(self, n_jobs)
        return max(2, found)

    def compute_batch_size(self) -> int:
        return 1

    def submit(self, func: Any, callback: Any = None) -> Fit:
        """Keep a call."""
        self.fits.append(Fit(func, callback))
        return self.fits[-1]

    apply_async = submit  # what joblib called it before 1.5

    @contextmanager
    def retrieval_context(self) -> Iterator[None]:
        """joblib has handed over all calls, and is about to wait for their results: now they are made."""
        with super().retrieval_context():
            if self.conduct is not None:
                self.conduct()
            yield

    def retrieve_result_callback(self, out: Any) -> Any:
        return out

    def run(self, fit: Fit) -> None:
        """Run a call now, in this thread if there is one job; then `finished` has it, and how to get its result."""
        if self.inline:
            results = [function(*arguments, **keywords) for function, arguments, keywords in fit.call.items]
            self.finished.put((fit, lambda: results))
            return
        old = getattr(self.real, "submit", None) is getattr(ParallelBackendBase, "submit", None)
        hand = self.real.apply_async if old else self.real.submit
        handle = hand(self, fit.call, lambda out: self.finished.put((fit, lambda: self._result(fit, out))))
        fit.handle.append(handle)
        if isinstance(handle, Future):  # one that broke may tell only its future
            handle.add_done_callback(lambda future: self._broken(fit, future))

    def _result(self, fit: Fit, out: Any) -> list[Result]:
        found: list[Result] = self.real.retrieve_result_callback(self, out) if self.retrieves else fit.handle[0].get()
        return found

    def _broken(self, fit: Fit, future: Future[Any]) -> None:
        if not future.cancelled() and future.exception() is not None:
            self.finished.put((fit, future.result))

    def start_call(self) -> None:
        if not self.inline:
            super().start_call()

    def stop_call(self) -> None:
        if not self.inline:
            super().stop_call()

    def terminate(self) -> None:
        if not self.inline:
            super().terminate()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        if not self.inline:
            super().abort_everything(ensure_ready=ensure_ready)


class OnExecutor(ParallelBackendBase):  # type: ignore[misc, unused-ignore]
    """A joblib backend on any Executor."""

    supports_retrieve_callback = True
    uses_threads = True  # perhaps not, but then nothing of the choice depends on it
    supports_sharedmem = True

    def __init__(self, executor: Executor, n_jobs: int | None) -> None:
        super().__init__(nesting_level=0)
        self.executor = executor
        self.n_jobs = slots(executor) if n_jobs is None or n_jobs < 0 else n_jobs

    def effective_n_jobs(self, _n_jobs: int) -> int:
        return self.n_jobs

    def submit(self, func: Any, callback: Any = None) -> Future[Any]:
        future = self.executor.submit(func)
        future.add_done_callback(callback)
        return future

    apply_async = submit

    def retrieve_result_callback(self, out: Future[Any]) -> Any:
        return out.result()


def attached(executor: Executor | None, n_jobs: int | None) -> tuple[Evaluations, Callable[[], None]]:
    """The active backend of joblib, or one on the executor, as Evaluations; it is the active one now, until the
    function that comes with it is called."""
    inner = get_active_backend()[0] if executor is None else OnExecutor(executor, n_jobs)
    kind = type(f"Nonstop{type(inner).__name__}", (Evaluations, type(inner)), {"real": type(inner)})
    backend: Evaluations = object.__new__(kind)
    backend.__dict__.update(vars(inner))
    backend.begin(inner.supports_retrieve_callback)
    return backend, parallel_config(backend=backend).unregister


def error_result(fit: Fit, error_score: float, like: Result | None, reason: str) -> Result:
    """The result of a fit that never ended, of the same form as another."""
    scores: Mapping[str, float] | float = error_score
    if like is not None and isinstance(like["test_scores"], dict):
        scores = dict.fromkeys(like["test_scores"], error_score)
    return {
        "test_scores": scores,
        "train_scores": scores,
        "n_test_samples": fit.test_samples,
        "fit_time": 0.0,
        "score_time": 0.0,
        "fit_error": reason,
    }
