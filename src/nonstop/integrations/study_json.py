"""A study in memory as JSON, for hosts that keep the state of a search in a file of their own.

What comes back is the same study: it proposes the same, to the last bit. Trials that were running are running, from now
on: whoever restores a search goes on to wait for them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from nonstop.storage.contract import StudyRecord
from nonstop.storage.memory import MemoryStorage
from nonstop.study import Study
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.spec import Spec
from nonstop.trials.transitions import HELD
from nonstop.trials.trial import Trial, TrialState


def study_to_json(study: Study) -> dict[str, object]:
    """Its name, its specification and its trials."""
    return {
        "name": study.name,
        "spec": study.spec.to_json(),
        "trials": [_trial_to_json(trial) for trial in study.trials],
    }


def study_from_json(data: Mapping[str, Any]) -> Study:
    """The study that study_to_json() wrote, in a memory of its own."""
    trials = [_trial_from_json(described) for described in data["trials"]]
    return study_with(data["name"], Spec.from_json(data["spec"]), trials)


def study_with(name: str, spec: Spec, trials: Sequence[Trial]) -> Study:
    """A study with these trials, by number, in a memory of its own."""
    storage, original = MemoryStorage(), StudyRecord(1, name, spec.to_json(), 0.0)
    free = [replace(trial, state=TrialState.WAITING) if trial.state in HELD else trial for trial in trials]
    study = Study(storage, storage.restore_study(name, original, free), spec)
    # The one that waits with the lowest number is asked for first; what really waits is given back afterwards.
    last = max((trial.number for trial in trials if trial.state in HELD), default=-1)
    asked = [trial for trial in trials if trial.number <= last and not trial.state.finished]
    for trial in asked:
        held = study.ask(worker=trial.worker)
        assert held.number == trial.number
    for trial in asked:
        if trial.state is TrialState.WAITING:
            study.give_back(trial.number)
    return study


def _trial_to_json(trial: Trial) -> dict[str, object]:
    plain: dict[str, object] = {field.name: getattr(trial, field.name) for field in fields(trial)}
    plain["diagnostics"] = None if trial.diagnostics is None else trial.diagnostics.to_json()
    plain["lease"] = None if trial.lease is None or math.isinf(trial.lease) else trial.lease
    return plain


def _trial_from_json(described: Mapping[str, Any]) -> Trial:
    diagnostics = Diagnostics.from_json(described["diagnostics"] or {})
    return Trial(**{**described, "state": TrialState(described["state"]), "diagnostics": diagnostics})
