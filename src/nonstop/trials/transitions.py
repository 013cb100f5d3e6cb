"""The transitions of a trial, as pure functions from the trial before to the trial after.

A storage reads a trial, applies a transition, and writes the new trial with the next sequence number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from numbers import Real
from typing import Final

from nonstop.errors import TrialError
from nonstop.trials.messages import Counts, HandOn, Insert, Pulse, Report, Request, Start
from nonstop.trials.trial import Trial, TrialState, check_transition
from nonstop.types import LARGEST_INTEGER, Outcomes
from nonstop.wording import printable

#: The states in which a worker holds the trial.
HELD: Final = (TrialState.PROPOSING, TrialState.RUNNING)
#: The version of a trial that the study did not propose: it was enqueued or added.
OUTSIDE: Final = -1


def may_claim(counts: Counts, limit: int | None) -> bool:
    """Is there room in the budget to run one of the waiting trials?"""
    return limit is None or counts.completed + counts.proposing + counts.running < limit


def may_create(counts: Counts, limit: int | None) -> bool:
    """Is there room in the budget for one more trial?"""
    return limit is None or counts.completed + counts.unfinished < limit


def ask(number: int, request: Request, version: int, now: float) -> Trial:
    """A new trial, whose params the asking worker is to propose."""
    return Trial(
        number,
        TrialState.PROPOSING,
        version=version,
        worker=printable(request.worker),
        asked_at=now,
        lease=request.lease,
        fixed=request.fixed,
    )


def claim(trial: Trial, request: Request, version: int, now: float) -> Trial:
    """A waiting trial, granted to the asking worker; if it has params, it keeps the version they were proposed from."""
    granted = replace(trial, worker=printable(request.worker), asked_at=now, beat=0, lease=request.lease)
    if trial.params is None:
        return replace(granted, state=TrialState.PROPOSING, version=version)
    return replace(granted, state=TrialState.RUNNING, started_at=now)


def start(trial: Trial, start: Start, now: float) -> Trial:
    """The trial with its params, RUNNING."""
    if not -LARGEST_INTEGER <= start.seed <= LARGEST_INTEGER:
        raise TrialError(f"the seed of trial {trial.number} does not fit into 64 bits")
    check_transition(trial.number, trial.state, TrialState.RUNNING)
    return replace(
        trial,
        state=TrialState.RUNNING,
        params=start.params,
        seed=start.seed,
        diagnostics=start.diagnostics,
        started_at=now,
    )


def repeats_start(trial: Trial, start: Start) -> bool:
    """Is this the retry of a start that succeeded? TrialError if the caller does not hold the trial any more."""
    if trial.attempt == start.attempt:
        if trial.state is TrialState.PROPOSING:
            return False
        if trial.state is TrialState.RUNNING and trial.params == start.params:
            return True
    raise TrialError(
        f"trial {trial.number} is {trial.state} at attempt {trial.attempt}: attempt {start.attempt} cannot start it"
    )


def overtaken(trial: Trial, start: Start, changes: Iterable[Trial]) -> bool:
    """Do the changes since the caller's cursor contain a proposal from the same data, or the same point?"""

    def clashes(other: Trial) -> bool:
        same_point = start.unique and other.state is TrialState.RUNNING and other.params == start.params
        return other.params is not None and (other.version == trial.version or same_point)

    return any(other.number != trial.number and clashes(other) for other in changes)


def checked(report: Report) -> Report:
    """The report, its value a float and its reason printable; TrialError if its state or value is wrong."""
    if not report.state.finished:
        raise TrialError(f"a report ends a trial: {report.state} does not")
    value, outcomes = _result(report.number, report) if report.state is TrialState.COMPLETED else (None, {})
    reason = None if report.reason is None else printable(report.reason)
    return replace(report, value=value, outcomes=outcomes, reason=reason)


def check_started(trial: Trial, attempt: int) -> None:
    """TrialError unless this attempt at the trial was once RUNNING."""
    # The attempt of a waiting trial is the next one.
    last = trial.attempt - 1 if trial.state is TrialState.WAITING else trial.attempt
    if trial.params is None or not 1 <= attempt <= last:
        raise TrialError(f"attempt {attempt} at trial {trial.number} was never started: the trial is {trial.state}")


def revives(trial: Trial, report: Report) -> bool:
    """May this report complete a trial that failed, if it failed because its worker was lost?"""
    return trial.state is TrialState.FAILED and report.state is TrialState.COMPLETED


def finish(trial: Trial, report: Report, order: int, now: float) -> Trial:
    """The trial with its first result; `order` becomes its place among all results if it is completed."""
    check_transition(trial.number, trial.state, report.state)
    undoes = trial.state is TrialState.FAILED
    return replace(
        trial,
        state=report.state,
        value=report.value,
        outcomes=report.outcomes or trial.outcomes,
        order=order if report.state is TrialState.COMPLETED else None,
        reason=trial.reason if undoes else report.reason,
        finished_at=now,
        undone=trial.sequence if undoes else None,
        seconds=report.seconds,
        notes={**trial.notes, **report.notes} if report.notes else trial.notes,
    )


def insert(number: int, given: Insert, order: int, now: float) -> Trial:
    """A trial that was enqueued or added; `order` becomes its place among all results if it is completed."""
    if not given.state.finished and given.state is not TrialState.WAITING:
        raise TrialError(f"a trial is inserted waiting, completed or failed, not {given.state}")
    completed = given.state is TrialState.COMPLETED
    if not completed and (given.value is not None or given.outcomes):
        said = given.outcomes if given.value is None else given.value
        raise TrialError(f"a trial that is {given.state} has no value, but {said!r} was given")
    value, outcomes = _result(number, given) if completed else (None, {})
    told = given.state is not TrialState.WAITING
    return Trial(
        number,
        given.state,
        params=given.params,
        value=value,
        outcomes=outcomes,
        version=OUTSIDE,
        order=order if completed else None,
        worker=printable(given.worker) if told and given.worker is not None else None,
        reason=printable(given.reason) if told and not completed and given.reason is not None else None,
        started_at=given.started_at if told else None,
        finished_at=(now if given.finished_at is None else given.finished_at) if told else None,
        seconds=given.seconds if told else None,
        notes=given.notes,
        fixed=given.fixed,
    )


def is_held(trial: Trial, attempt: int, beat: int | None = None) -> bool:
    """Does a worker still hold this attempt, at this beat unless it is None? The compare of each compare-and-set."""
    return trial.state in HELD and trial.attempt == attempt and beat in (None, trial.beat)


def hand_on(trial: Trial, hand_on: HandOn, now: float) -> Trial:
    """The trial WAITING for its next attempt, or FAILED after the last one."""
    if trial.attempt >= hand_on.max_attempts:
        return replace(trial, state=TrialState.FAILED, reason=printable(hand_on.reason), finished_at=now)
    return replace(trial, state=TrialState.WAITING, attempt=trial.attempt + 1, worker=None, beat=0, lease=None)


def pulse(trial: Trial) -> Pulse:
    """The heartbeat of a trial that a worker holds."""
    return Pulse(trial.number, trial.attempt, trial.beat, trial.worker or "", trial.lease)


def _result(number: int, given: Report | Insert) -> tuple[float | None, Outcomes]:
    """The value and the outcomes of a completed trial, as floats; TrialError unless they are finite."""
    outcomes = {printable(name): _finite(f"{name!r}", number, found) for name, found in given.outcomes.items()}
    if outcomes and given.value is None:  # there are several objectives
        return None, outcomes
    return _finite("the value", number, given.value), outcomes


def _finite(what: str, number: int, value: object) -> float:
    """As a float; TrialError unless it is a finite real number."""
    if not isinstance(value, (float, Real)) or not math.isfinite(value):  # float first: Real takes longer to say so
        raise TrialError(f"{what} of trial {number} must be a finite number, not {value!r}")
    return float(value)
