"""The transactions of every storage: which trials of a Ledger change, by the rules of nonstop.trials.transitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import nonstop.trials.transitions as transitions
from nonstop.storage.ledger import Ledger
from nonstop.storage.text import clean_notes
from nonstop.trials.messages import Exchange, HandOn, Insert, Report, Request, Start
from nonstop.trials.trial import Trial


def exchange(ledger: Ledger, cursor: int, report: Report | None, request: Request | None) -> Exchange:
    """Hand in a result, ask for the next trial, and read what is new; see Storage.exchange."""
    ledger.read(cursor, None if report is None else report.number, None if request is None else request.id)
    trial = None
    if report is not None:
        clean = transitions.checked(report)
        trial = _report(ledger, replace(clean, notes=clean_notes(clean.notes)) if clean.notes else clean)
    if request is not None:
        trial = _granted(ledger, request)
    return _answer(ledger, trial)


def start(ledger: Ledger, start: Start, cursor: int) -> Exchange:
    """Give a PROPOSING trial its params, unless another proposal overtook this one; see Storage.start."""
    ledger.read(cursor, start.number)
    trial = ledger.trial(start.number)
    if transitions.repeats_start(trial, start):
        return _answer(ledger, trial)
    started = transitions.start(trial, start, ledger.now())
    if transitions.overtaken(trial, start, ledger.changes):
        return _answer(ledger, None)
    return _answer(ledger, ledger.put(trial, started))


def insert(ledger: Ledger, inserts: Sequence[Insert], insert_id: str) -> Sequence[Trial]:
    """Enqueue or add trials; see Storage.insert."""
    if not inserts:
        return ()
    known = ledger.inserted(insert_id, len(inserts))
    if known:
        return known
    now, counts = ledger.now(), ledger.counts
    trials, order = [], counts.completed
    for place in sorted(range(len(inserts)), key=lambda place: _when(inserts[place], now)):
        trials.append(transitions.insert(counts.total + place, inserts[place], order + 1, now))
        order += trials[-1].order is not None
    return sorted(ledger.insert(trials, insert_id), key=attrgetter("number"))


def _when(given: Insert, now: float) -> float:
    """When its result came; those without one come last."""
    if not given.state.finished:
        return math.inf
    return now if given.finished_at is None else given.finished_at


def hand_on(ledger: Ledger, hand_on: HandOn) -> bool:
    """Hand on a trial, if it is still at the attempt and beat that were seen; see Storage.hand_on."""
    trial = ledger.locked(hand_on.number)
    if not transitions.is_held(trial, hand_on.attempt, hand_on.beat):
        return False
    ledger.revoke(trial, transitions.hand_on(trial, hand_on, ledger.now()))
    return True


def _report(ledger: Ledger, report: Report) -> Trial:
    """Log a result; only the first one of a trial changes the trial. A failure without a result, because its worker was
    lost, gives way to a value that comes late."""
    trial, now = ledger.trial(report.number), ledger.now()
    transitions.check_started(trial, report.attempt)
    first = not trial.state.finished or (transitions.revives(trial, report) and not ledger.decided(trial.number))
    if not ledger.log(report, counted=first, now=now) or not first:
        return trial
    return ledger.put(trial, transitions.finish(trial, report, ledger.counts.completed + 1, now))


def _granted(ledger: Ledger, request: Request) -> Trial | None:
    """The trial granted before, a waiting one, a new one, or None if there is no room in the budget."""
    granted = ledger.granted(request.id)
    if granted is not None:
        return granted
    counts, now = ledger.counts, ledger.now()
    waiting = ledger.first_waiting(request.fixed) if counts.waiting else None
    if waiting is not None:
        if not transitions.may_claim(counts, request.limit):
            return None
        return ledger.grant(waiting, transitions.claim(waiting, request, counts.completed, now), request.id)
    if not transitions.may_create(counts, request.limit):
        return None
    return ledger.add(transitions.ask(counts.total, request, counts.completed, now), request_id=request.id)


def _answer(ledger: Ledger, trial: Trial | None) -> Exchange:
    counts = ledger.counts
    return Exchange(ledger.changes, ledger.sequence, counts.completed, counts, trial)
