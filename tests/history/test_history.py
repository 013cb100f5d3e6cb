"""Records from trials."""

from __future__ import annotations

import pytest

from nonstop.history import utilisation
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.usage import Usage, by_worker, overall


def trial(
    worker: str | None, asked: float, started: float | None, finished: float | None, seconds: float = 0.0
) -> Trial:
    state = TrialState.RUNNING if finished is None else TrialState.COMPLETED
    said = Diagnostics("model", seconds=seconds)
    return Trial(0, state, worker=worker, asked_at=asked, started_at=started, finished_at=finished, diagnostics=said)


def test_the_time_of_a_worker_is_split() -> None:
    lanes = utilisation(
        [
            trial("a", 100.0, 101.0, 105.0, seconds=0.75),
            trial("a", 107.0, 107.5, 110.0, seconds=9.0),  # cannot have taken longer than there was
            trial("b", 100.0, 100.0, 110.0),
            trial("b", 110.0, None, None),  # under way
            trial(None, 100.0, 100.0, 100.0),  # added from outside
        ]
    )
    assert lanes == [Usage("a", 6.5, 1.25, 0.25, 2.0), Usage("b", 10.0, 0.0, 0.0, 0.0)]
    assert lanes[0].utilisation == pytest.approx(0.65)
    assert overall(lanes) == Usage("all", 16.5, 1.25, 0.25, 2.0)


def test_the_night_between_two_runs_does_not_count() -> None:
    lanes = utilisation([trial("a", 100.0, 100.0, 110.0), trial("a", 50_000.0, 50_000.0, 50_010.0)])
    assert lanes == [Usage("a", 20.0, 0.0, 0.0, 0.0)]


def test_no_trials_no_lanes() -> None:
    assert utilisation([]) == []
    assert overall([]) == Usage("all")
    assert Usage("a").utilisation == 1.0


def test_a_replaced_worker_is_one_worker() -> None:
    assert by_worker([Usage("b", 1.0), Usage("a", 2.0), Usage("b", 3.0, 1.0)]) == (
        Usage("a", 2.0),
        Usage("b", 4.0, 1.0),
    )
