"""Which points of a study reach propose(), and as what."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

import numpy as np
import pytest

import nonstop
from nonstop.space.encoding import encode
from nonstop.trials.mirror import Mirror
from nonstop.trials.trial import TrialState

module = import_module("nonstop.trials.suggest")
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


def study_of(direction: Literal["minimize", "maximize"]) -> nonstop.Study:
    """Twelve trials: one failed, three are running, the others have values."""
    study = nonstop.create_study(None, space=SPACE, direction=direction, rule="random", seed=2)
    trials = [study.ask() for _ in range(12)]
    for trial in trials[:9]:
        study.tell(trial, *((None, "failed") if trial.number == 4 else (float(trial.number),)))
    return study


@pytest.mark.parametrize(("direction", "sign"), [("minimize", -1.0), ("maximize", 1.0)])
def test_propose_gets_the_data_the_busy_points_and_the_failures(
    monkeypatch: pytest.MonkeyPatch, direction: Literal["minimize", "maximize"], sign: float
) -> None:
    seen: list[dict[str, Any]] = []
    real = module.propose

    def recorded(X: Any, y: Any, **others: Any) -> Any:
        seen.append({"X": X, "y": y, **others})
        return real(X, y, **others)

    monkeypatch.setattr(module, "propose", recorded)
    study = study_of(direction)
    study.ask()
    points = {trial.number: encode(SPACE, trial.params or {}) for trial in study.trials}
    done = [0, 1, 2, 3, 5, 6, 7, 8]
    given = seen[-1]
    assert (sign * given["y"]).tolist() == [float(number) for number in done]
    np.testing.assert_array_equal(given["X"], [points[number] for number in done])
    np.testing.assert_array_equal(given["busy"], [points[number] for number in (9, 10, 11)])
    np.testing.assert_array_equal(given["failed"], [points[4]])


def test_a_trial_is_in_one_state_only() -> None:
    study = nonstop.create_study(None, space=SPACE, rule="random")
    mirror = Mirror(SPACE)
    trial = study.ask()
    mirror.apply(study.storage.exchange(study.id, 0).changes)
    assert mirror.numbers(TrialState.RUNNING) == [0]
    study.tell(trial, 1.0)
    mirror.apply(study.storage.exchange(study.id, mirror.cursor).changes)
    assert mirror.numbers(TrialState.RUNNING) == []
    assert mirror.numbers(*TrialState) == [0]
