"""Made-up studies with several outcomes, without a storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import nonstop
from nonstop.space import Space
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Direction
from tests.helpers.studies import study

X = Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


def told(
    outcomes: Sequence[Mapping[str, float]],
    objectives: Mapping[str, Direction],
    constraints: Mapping[str, str] | None = None,
    notes: Mapping[str, float | str] | None = None,
) -> tuple[Spec, list[Trial]]:
    """A result for each of these outcomes, one a second."""
    spec = Spec(X, objectives=objectives, constraints=constraints)
    trials = [
        Trial(
            number,
            TrialState.COMPLETED,
            params={"x": number % 10 / 10, "y": number / len(outcomes)},
            value=spec.goals.value_of(found),
            version=number,
            order=number + 1,
            worker="w",
            asked_at=1000.0 + number,
            started_at=1000.0 + number,
            finished_at=1001.0 + number,
            outcomes=found,
            notes=notes or {},
        )
        for number, found in enumerate(outcomes)
    ]
    return spec, trials


def measured(
    n: int,
    objectives: Mapping[str, Direction],
    constraints: Mapping[str, str] | None = None,
    space: Space = X,
) -> tuple[Spec, list[Trial]]:
    """n results of the helper's study, with outcomes that pull in different directions; some trials failed."""
    plain, trials = study(space, n, fails=lambda i: i % 11 == 7)
    spec = replace(plain, objectives=objectives, constraints=constraints)
    names = spec.goals.names
    done = []
    for trial in trials:
        if trial.state is not TrialState.COMPLETED:
            done.append(trial)
            continue
        value = trial.value or 0.0
        found = {name: (value - 0.3 * i) * (-1.0) ** i + 0.01 * (trial.number % 7) for i, name in enumerate(names)}
        notes = {"energy": float(trial.number), "comment": "fine"}
        done.append(replace(trial, value=spec.goals.value_of(found), outcomes=found, notes=notes))
    return spec, done
