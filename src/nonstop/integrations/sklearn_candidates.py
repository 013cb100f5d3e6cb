"""The candidates of a search in scikit-learn: asked for one by one as jobs get free, fitted, told, kept.

A job that gets free takes the next split of a candidate that is under way. Only when all splits of all candidates are
given out is another candidate asked for, with everything that is known by then; candidates under way are busy points.
So there are no batches, and no more candidates at once than needed to keep all jobs busy.

What was found for each split is kept in the notes of its trial. So a search that was interrupted goes on, and several
processes can share one.
"""

from __future__ import annotations

import math
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from queue import Empty
from typing import Any, Final

from nonstop.errors import StudyError
from nonstop.integrations.sklearn_private import Evaluations, Fit, Result, error_result
from nonstop.storage.session import Session
from nonstop.study import Study
from nonstop.trials.messages import Report, Request
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.lease import Lease
from nonstop.workers.notes import plain
from nonstop.workers.pacemaker import Hearts
from nonstop.workers.worker import give_back

#: When a candidate of a process that is silent is handed on to another.
LEASE: Final = Lease()
#: Seconds between two looks at what other processes have done, while there is nothing to do here.
PAUSE: Final = 0.5
#: The notes that a search keeps with a trial: which search it was, and what each split gave.
IDENTITY, SPLITS = "search", "splits"
_LONGEST_ERROR: Final = 4_000


@dataclass(slots=True, eq=False)
class Candidate:
    """One place in the results: the fits that scikit-learn prepared for it, and the trial that it stands for."""

    fits: list[Fit]
    results: dict[Fit, Result] = field(default_factory=dict)

    @property
    def params(self) -> dict[str, Any]:
        """The params as scikit-learn has them, empty until the candidate has a trial."""
        return self.fits[0].params

    def hand_over(self, results: Iterable[Result]) -> None:
        """Give scikit-learn the results of all splits."""
        for fit, result in zip(self.fits, results, strict=True):
            fit.hand_over(result)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a search is to know besides its study."""

    #: How many candidates there are to be.
    candidates: int
    #: Identifies the search, its data included; empty if nobody sees the study afterwards.
    identity: str
    #: The names of the scores, none if there is only one; None if nobody knows before the first fit.
    scores: frozenset[str] | None
    #: The score to maximise, of several; if there is none of that name, the first.
    metric: str | None
    #: The score of a fit that failed.
    error_score: float
    #: Are the scores on the training data wanted?
    train_scores: bool
    #: What the choices of some parameters stand for.
    objects: Mapping[str, Mapping[Any, Any]]


class Search:
    """One run of a search. Belongs to one thread."""

    def __init__(self, study: Study, backend: Evaluations, terms: Terms) -> None:
        self.study, self.backend, self.terms = study, backend, terms
        self.session = Session(study.storage, study.id, study.spec, budget=terms.candidates)
        self.shared = bool(terms.identity)
        #: Places without a trial.
        self.free: deque[Candidate] = deque()
        #: Candidates under way and their trials; the place in the list is the worker.
        self.held: list[tuple[Candidate, Trial] | None] = []
        self.ready: deque[Fit] = deque()
        self.running: dict[Fit, int] = {}
        #: The trials that have a place.
        self.numbers: set[int] = set()
        self.like: Result | None = None

    def conduct(self) -> None:
        """Evaluate all candidates; at the end, or if that is interrupted, none is held any more."""
        groups = groupby(self.backend.fits, key=lambda fit: id(fit.params))
        self.free.extend(Candidate(list(fits)) for _, fits in groups)
        self.held = [None] * self.backend.slots
        self._read()
        with self._beating() as self.hold:
            try:
                while self.free or self.ready or self.running:
                    while len(self.running) < self.backend.slots and (self.ready or self._ask()):
                        self._start(self.ready.popleft())
                    self._take()
            finally:
                for trial in [pair[1] for pair in self.held if pair is not None]:
                    give_back(self.study.storage, self.study.id, trial.number, trial.attempt)

    @contextmanager
    def _beating(self) -> Iterator[Callable[[int, tuple[int, int] | None], None]]:
        """Keeps the trials that are held here from being handed on, where others could see them."""
        if not self.shared:
            yield lambda _worker, _held: None
            return
        hearts = Hearts(self.study.storage, self.study.id, LEASE, self.backend.slots)
        hearts.enter()
        try:
            yield hearts.hold
        finally:
            hearts.leave()

    def _ask(self) -> bool:
        """Begin another candidate, if there is one to begin."""
        if not self.free:
            return False
        worker = self.held.index(None)  # there is one: each candidate under way has a fit that runs or is ready
        request = Request(uuid.uuid4().hex, f"scikit-learn-{worker}", limit=self._limit())
        trial = self.session.exchange(request=request).trial
        if trial is None:
            return False
        candidate = self.free.popleft()
        self.held[worker] = (candidate, trial)
        self.hold(worker, (trial.number, trial.attempt))
        self.numbers.add(trial.number)
        candidate.params.update(self._params(self.session.start(trial)))
        self.ready.extend(candidate.fits)
        self.worker = worker
        return True

    def _params(self, trial: Trial) -> dict[str, Any]:
        """The params of a trial, with the objects that some choices stand for."""
        objects = self.terms.objects
        params = trial.params or {}
        return {name: objects[name][value] if name in objects else value for name, value in params.items()}

    def _limit(self) -> int:
        """The limit of a request, which does not count failures but counts results that came from elsewhere."""
        trials = self.session.mirror.trials.values()
        failed = sum(trial.state is TrialState.FAILED for trial in trials)
        foreign = sum(trial.state is TrialState.COMPLETED and SPLITS not in trial.notes for trial in trials)
        return self.terms.candidates - failed + foreign

    def _start(self, fit: Fit) -> None:
        self.running[fit] = self.worker  # what is ready is of the candidate that began last
        self.backend.run(fit)

    def _take(self) -> None:
        """Wait for a fit that has ended, and take all that have; look at what others did if there is none for long."""
        others = self.shared and bool(self.free)
        try:
            fit, result_of = self.backend.finished.get(timeout=PAUSE if others else None)
            while True:
                self._end(fit, *result_of())
                fit, result_of = self.backend.finished.get_nowait()
        except Empty:
            if others:
                self._read()

    def _end(self, fit: Fit, result: Result) -> None:
        worker = self.running.pop(fit)
        pair = self.held[worker]
        assert pair is not None
        candidate, trial = pair
        candidate.results[fit] = self.like = result
        if len(candidate.results) < len(candidate.fits):
            return
        results = [candidate.results[one] for one in candidate.fits]
        self.session.exchange(report_of(trial, results, self.terms))
        self.held[worker] = None
        self.hold(worker, None)
        candidate.hand_over(results)

    def _read(self) -> None:
        """Give the trials a place that are stored already: of an earlier run, or of another process."""
        self.session.exchange()
        for number, trial in sorted(self.session.mirror.trials.items()):
            if self.free and number not in self.numbers and trial.state.finished and is_of_a_search(trial):
                self.numbers.add(number)
                candidate = self.free.popleft()
                candidate.params.update(self._params(trial))
                candidate.hand_over(self._stored(trial, candidate.fits))

    def _stored(self, trial: Trial, fits: Sequence[Fit]) -> list[Result]:
        if SPLITS not in trial.notes:  # whoever evaluated it was lost, again and again
            reason = trial.reason or "it failed"
            results = [error_result(fit, self.terms.error_score, self.like, reason) for fit in fits]
        else:
            results = results_of(trial.notes)
            check_same(self.study.name, self.terms, trial, fits)
            self.like = results[0]
        return [trained(result, self.terms.train_scores) for result in results]


def is_of_a_search(trial: Trial) -> bool:
    """Has a trial, which is finished, a place among the results? One that was added from elsewhere has none."""
    return SPLITS in trial.notes or trial.state is TrialState.FAILED


def report_of(trial: Trial, results: Sequence[Result], terms: Terms) -> Report:
    """What is told of a candidate: its mean score, or why it has none; and what each split gave."""
    value, reason = score_of(results, terms.metric)
    state = TrialState.COMPLETED if reason is None else TrialState.FAILED
    seconds = math.fsum(result["fit_time"] + result["score_time"] for result in results)
    notes = {IDENTITY: terms.identity, SPLITS: [_kept(result) for result in results]}
    return Report(uuid.uuid4().hex, trial.number, trial.attempt, state, value, reason, seconds, notes)


def score_of(results: Sequence[Result], metric: str | None) -> tuple[float | None, str | None]:
    """The mean score over the splits, or why there is none."""
    for split, result in enumerate(results):
        if result["fit_error"] is not None:
            return None, f"split {split}: {result['fit_error'].strip().splitlines()[-1]}"
    scores = [result["test_scores"] for result in results]
    if isinstance(scores[0], Mapping):
        name = metric if metric in scores[0] else next(iter(scores[0]))
        scores = [score[name] for score in scores]
    mean = math.fsum(map(float, scores)) / len(scores) if all(map(math.isfinite, scores)) else math.nan
    return (mean, None) if math.isfinite(mean) else (None, f"the score is no finite number: {list(map(float, scores))}")


def results_of(notes: Mapping[str, Any]) -> list[Result]:
    """The results of the splits, as the notes of a trial keep them."""
    return [{key: _number(value) for key, value in result.items()} for result in notes[SPLITS]]


def trained(result: Result, wanted: bool) -> Result:
    """A stored result with the scores on the training data, which are NaN if they were not wanted then; or without."""
    scores = result["test_scores"]
    unknown = dict.fromkeys(scores, math.nan) if isinstance(scores, Mapping) else math.nan
    without = {key: value for key, value in result.items() if key != "train_scores"}
    return {**without, "train_scores": result.get("train_scores", unknown)} if wanted else without


def check_same(name: str, terms: Terms, trial: Trial, fits: Sequence[Fit]) -> None:
    """StudyError if a stored trial is of another search."""
    results = results_of(trial.notes)
    samples, expected = [result["n_test_samples"] for result in results], [fit.test_samples for fit in fits]
    if trial.notes[IDENTITY] != terms.identity:
        what = "with another estimator, another score or other data"
    elif samples != expected:
        what = f"whose splits had {samples} test samples, not {expected}"
    elif terms.scores is not None and all(_names(result) != terms.scores for result in results):
        what = f"with the scores {sorted(_names(results[0]))}, not {sorted(terms.scores)}"
    else:
        return
    raise StudyError(f"the study {name!r} has results of a search {what}: choose another study_name")


def _names(result: Result) -> frozenset[str]:
    scores = result["test_scores"]
    return frozenset(scores) if isinstance(scores, Mapping) else frozenset()


def _kept(result: Result) -> object:
    error = result["fit_error"]
    return plain({**result, "fit_error": error and error[-_LONGEST_ERROR:]})


def _number(value: Any) -> Any:
    """What plain() made a text, NaN and infinity, as a number again."""
    if isinstance(value, Mapping):
        return {key: _number(part) for key, part in value.items()}
    return float(value) if value in ("nan", "inf", "-inf") else value
