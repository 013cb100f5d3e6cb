"""What happens in each transaction, for every storage: the rules are in trials/transitions.py, the data in a Ledger."""

from __future__ import annotations

import nonstop.trials.transitions as transitions
from nonstop.storage.ledger import Ledger
from nonstop.trials.messages import Exchange, Report, Request, Start
from nonstop.trials.trial import Trial
from nonstop.types import Params


def exchange(here: Ledger, cursor: int, report: Report | None, request: Request | None) -> Exchange:
    """Hand in a result, ask for the next trial, and read what is new; see Storage.exchange."""
    here.read(cursor, None if report is None else report.number, None if request is None else request.id)
    trial = None
    if report is not None:
        trial = _report(here, transitions.checked(report))
    if request is not None:
        trial = _granted(here, request)
    return _answer(here, trial)


def start(here: Ledger, start: Start, cursor: int) -> Exchange:
    """Give a PROPOSING trial its params, if no one overtook the proposal; see Storage.start."""
    here.read(cursor, start.number)
    trial = here.trial(start.number)
    if transitions.repeats_start(trial, start):
        return _answer(here, trial)
    started = transitions.start(trial, start, here.now())
    if transitions.overtaken(trial, start, here.changes):
        return _answer(here, None)
    return _answer(here, here.put(trial, started))


def insert(here: Ledger, params: Params, value: float | None, insert_id: str) -> Trial:
    """A trial from outside; see Storage.insert."""
    known = here.inserted(insert_id)
    if known is not None:
        return known
    now, counts = here.now(), here.counts
    trial = transitions.insert(counts.total, params, value, counts.completed + 1, now)
    if trial.value is not None:
        here.log(Report(f"insert {insert_id}", trial.number, 1, trial.state, trial.value), True, now)
    return here.add(trial, insert_id=insert_id)


def hand_on(here: Ledger, number: int, attempt: int, beat: int | None, reason: str, max_attempts: int) -> bool:
    """Put a trial back into the queue, if its lease is still the one that was seen; see Storage.hand_on."""
    trial = here.locked(number)
    if not transitions.holds(trial, attempt, beat):
        return False
    here.revoke(trial, transitions.hand_on(trial, reason, max_attempts, here.now()))
    return True


def _report(here: Ledger, report: Report) -> Trial:
    """The first result of a trial counts; every one is kept in the log."""
    trial, now = here.trial(report.number), here.now()
    transitions.check_started(trial, report.attempt)
    open_still = not trial.state.finished
    if not here.log(report, counted=open_still, now=now) or not open_still:
        return trial
    return here.put(trial, transitions.finish(trial, report, here.counts.completed + 1, now))


def _granted(here: Ledger, request: Request) -> Trial | None:
    """A trial that waits, a new one, or None if the budget has no room."""
    held = here.granted(request.id)
    if held is not None:
        return held
    counts, now = here.counts, here.now()
    waiting = here.first_waiting() if counts.waiting else None
    if waiting is not None:
        if not transitions.may_claim(counts, request.limit):
            return None
        return here.grant(waiting, transitions.claim(waiting, request, counts.completed, now), request.id)
    if not transitions.may_create(counts, request.limit):
        return None
    return here.add(transitions.ask(counts.total, request, counts.completed, now), request_id=request.id)


def _answer(here: Ledger, trial: Trial | None) -> Exchange:
    counts = here.counts
    return Exchange(here.changes, here.sequence, counts.completed, counts, trial)
