"""Compute every proposal of a study again, from what its trials recorded, and compare.

A proposal is a pure function of the data of its version, the trials it used (its basis, which it recorded) and its
seed. So a study that was run by any number of workers, with kills and restarts, replays to the last bit. On another
machine the linear algebra may round differently: then the differences show by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.mirror import Mirror
from nonstop.trials.spec import Spec
from nonstop.trials.suggest import Basis, model_based, quasi_random, trial_seed
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params


@dataclass(frozen=True, slots=True)
class Difference:
    """A trial whose params the replay computed differently."""

    #: The number of the trial.
    number: int
    #: Its params in the study.
    recorded: Params
    #: Its params in the replay.
    computed: Params


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What was replayed, and where the replay differs."""

    #: How many trials were proposed by the model.
    model_based: int
    #: How many came from the quasi-random sequence.
    quasi_random: int
    #: How many were enqueued or added, and so not replayed.
    outside: int
    #: The trials whose params differ.
    differences: tuple[Difference, ...]

    @property
    def identical(self) -> bool:
        """Did the replay compute the params of every trial to the last bit?"""
        return not self.differences


def replay(
    spec: Spec, trials: Iterable[Trial], on_trial: Callable[[Trial], None] = lambda _trial: None
) -> ReplayReport:
    """Replay all trials that have params; `on_trial` is called with each before it is computed."""
    mirror = Mirror(spec.space)
    mirror.apply(sorted(trials, key=lambda trial: trial.sequence))
    counts = {"model": 0, "quasi-random": 0, "outside": 0}
    differences = []
    for _, trial in sorted(mirror.trials.items()):
        if trial.params is None:
            continue
        if trial.diagnostics is None:
            counts["outside"] += 1
            continue
        on_trial(trial)
        counts["model" if trial.diagnostics.proposed else "quasi-random"] += 1
        computed = recomputed(spec, mirror, trial, trial.diagnostics)
        if not _same(trial.params, computed) or trial.seed != trial_seed(spec.seed, trial.number):
            differences.append(Difference(trial.number, trial.params, computed))
    return ReplayReport(counts["model"], counts["quasi-random"], counts["outside"], tuple(differences))


def recomputed(spec: Spec, mirror: Mirror, trial: Trial, recorded: Diagnostics) -> Params:
    """The params of one trial, computed from a mirror of the whole study and what the trial recorded."""
    if recorded.cursor is None:
        return quasi_random(spec, trial, recorded.skip)
    cursor = recorded.cursor
    # The sequence number of a failed trial is that of its failure. A trial whose failure was undone later says when.
    failed = [n for n in mirror.numbers(TrialState.FAILED) if mirror.trials[n].sequence <= cursor]
    failed += [n for n in mirror.completed if _had_failed(mirror.trials[n], cursor)]
    failed.sort()
    learning = recorded.success is not None
    basis = Basis(recorded.busy, recorded.believed, failed, recorded.warm, learning)
    return model_based(spec, mirror, trial, basis).params


def _had_failed(completed: Trial, cursor: int) -> bool:
    """Was this trial FAILED at the cursor?"""
    return completed.undone is not None and completed.undone <= cursor < completed.sequence


def _same(a: Params, b: Params) -> bool:
    """Equal to the last bit: the repr of a float is exact, and tells 0.0 from -0.0 and 1 from 1.0."""
    return {name: repr(value) for name, value in a.items()} == {name: repr(value) for name, value in b.items()}
