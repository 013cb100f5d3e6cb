"""The params of a trial, from what a mirror of the study shows: a pure function, so that any run can be replayed.

Which points count (the paper's algorithm 1, and what it leaves open):
- data: the results up to the trial's version. Nothing later, even if the mirror has it.
- believed: trials proposed from this same version before. Without a new datum the model would repeat them.
- busy: all running trials. Standard rules ignore them, but no proposal coincides with one.
- failed: may not be proposed again, or a crashing corner of the space would be asked for for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from nonstop.encoding import cube_of, decode
from nonstop.mirror import Mirror
from nonstop.propose import Proposal, propose
from nonstop.quasirandom import halton
from nonstop.spec import Spec
from nonstop.surrogate.fit import Hyperparameters
from nonstop.trial import Diagnostics, Params, Trial, TrialState

_LOOKAHEAD = 64  # quasi-random points to try before a discrete space is left to the model


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to store with the trial."""

    params: Params
    seed: int
    diagnostics: Diagnostics


@dataclass(frozen=True, slots=True)
class Basis:
    """Which trials the proposal looked at: recorded with it, because later the mirror has moved on."""

    busy: Sequence[int]
    believed: Sequence[int]
    failed: Sequence[int]
    warm: int | None
    first: bool  # the owner's first trial

    @classmethod
    def of(cls, mirror: Mirror, trial: Trial) -> Basis:
        busy = mirror.numbers(TrialState.RUNNING)
        failed = mirror.numbers(TrialState.FAILED)
        siblings = [n for n in (*busy, *failed) if mirror.trials[n].version == trial.version]
        return cls(busy, sorted(siblings), failed, mirror.newest_fit, trial.owner not in mirror.owners)


def trial_seed(study_seed: int, number: int) -> int:
    """Every trial has a seed of its own, the same in every run."""
    return int(np.random.SeedSequence([study_seed, number]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def suggest(spec: Spec, mirror: Mirror, trial: Trial, basis: Basis, threads: int | None = 1) -> Suggestion:
    """The params for a trial that has a number and a data version but no params yet."""
    seed = trial_seed(spec.seed, trial.number)
    if trial.number < spec.initial_trials or basis.first or trial.version == 0:
        params = _quasi_random(spec, mirror, trial.number)
        if params is not None:
            return Suggestion(params, seed, {"rung": "quasi-random", "first": basis.first})
    X, y = mirror.data(trial.version)
    proposal = propose(
        X,
        spec.sign * y,
        busy=mirror.points(basis.busy),
        rule=spec.rule,
        seed=seed,
        believed=mirror.points(basis.believed),
        avoid=mirror.points(basis.failed),
        cube=cube_of(spec.space),
        surrogate=spec.surrogate,
        warm=_hyperparameters(mirror, basis.warm),
        noisy=spec.noisy,
        threads=threads,
    )
    return Suggestion(decode(spec.space, proposal.x), seed, _diagnostics(proposal, basis, mirror.cursor))


def _quasi_random(spec: Spec, mirror: Mirror, number: int) -> Params | None:
    """Point `number` of the study's Halton sequence; in a discrete space the first from there that is new, if any."""
    cube = cube_of(spec.space)
    count = _LOOKAHEAD if cube.is_discrete else 1
    for x in cube.spread(halton(count, cube.axes, spec.seed, start=number)):
        params = decode(spec.space, x)
        if count == 1 or not mirror.tried(params):
            return params
    return None


def _hyperparameters(mirror: Mirror, number: int | None) -> Hyperparameters | None:
    if number is None:
        return None
    recorded: Mapping[str, object] = mirror.trials[number].diagnostics
    return Hyperparameters(tuple(cast("list[float]", recorded["lengthscales"])), cast("float", recorded["noise"]))


def _diagnostics(proposal: Proposal, basis: Basis, cursor: int) -> Diagnostics:
    said: dict[str, object] = {
        "rung": proposal.rung,
        "acquisition": proposal.value if np.isfinite(proposal.value) else None,
        "mean": proposal.mean,
        "sd": proposal.sd,
        "nearest_busy": proposal.nearest_busy if np.isfinite(proposal.nearest_busy) else None,
        "seconds": proposal.seconds,
        "busy": list(basis.busy),
        "believed": list(basis.believed),
        "warm": basis.warm,
        "first": basis.first,
        "cursor": cursor,
    }
    if proposal.hyperparameters is not None:
        said["lengthscales"] = list(proposal.hyperparameters.lengthscales)
        said["noise"] = proposal.hyperparameters.noise
    return said
