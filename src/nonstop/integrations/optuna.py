"""Optuna's studies with nonstop's proposals: `optuna.create_study(sampler=NonstopSampler())`.

A proposal is a function of what Optuna's storage holds, of the trial's number and of the sampler's seed. The sampler
keeps nothing between two trials, so it makes no difference which process or thread asks.
"""

from __future__ import annotations

import logging
import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

import numpy as np

from nonstop.acquisition.inside import filling
from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import rule_of
from nonstop.arguments import whole
from nonstop.errors import DataError, MissingExtraError
from nonstop.integrations.optuna_trials import Frame, Known, Running, parameter_of, record, running_of
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.seeds import seed_of
from nonstop.propose import Proposal, propose
from nonstop.space.encoding import cube_of
from nonstop.space.holding import held
from nonstop.types import Array

try:
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import intersection_search_space
    from optuna.study import Study
    from optuna.trial import FrozenTrial, TrialState
except ImportError as error:
    raise MissingExtraError("nonstop.integrations.optuna", "optuna") from error

_LOG: Final = logging.getLogger("optuna.samplers.nonstop")  # below Optuna's, so that its verbosity counts
_LOOKAHEAD: Final = 64  # quasi-random points to check for a new one, before the model proposes in a discrete space
_NEAR: Final = 0.25  # in lengthscales: the correlation is 0.95 there
_PATIENCE: Final = 3.0  # how long to wait for another one that gives way, in times of one's own proposal
_ROUNDS: Final = 8  # how often a proposal is made, if others propose at the same time


class NonstopSampler(BaseSampler):
    """Proposes params with nonstop's Gaussian process, and believes in the trials that other workers are running.

    Give all processes of a study the same `seed`: the number of a trial makes its proposal its own, and the first
    `n_startup_trials` trials of the study are one quasi-random sequence. None is a random seed.

    `rule` is nonstop's acquisition rule, by name or as an object; None is its default. Params outside of the common
    search space are drawn by `independent_sampler` (default: at random), with a warning unless
    `warn_independent_sampling` is false.

    Constraints are those of the trials: `trial.set_constraint(name, value)` in the objective, or the numbers that
    `constraints_func` returns for a trial that has ended. A trial is feasible if none is larger than 0.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        n_startup_trials: int = 10,
        rule: str | Rule | None = None,
        independent_sampler: BaseSampler | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        self._seed = secrets.randbits(32) if seed is None else whole("seed", seed, DataError)
        self._n_startup_trials = whole("n_startup_trials", n_startup_trials, DataError)
        self._rule = None if rule is None else rule_of(rule)
        self._independent_sampler = independent_sampler
        self._constraints_func = constraints_func
        self._warn_independent_sampling = warn_independent_sampling

    def reseed_rng(self) -> None:
        """Go on with another seed."""
        self._seed = secrets.randbits(32)
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002
        """What all completed trials have in common, without what has one value only, or too many for our cube."""
        common = intersection_search_space(study.get_trials(deepcopy=False))
        return {
            name: distribution
            for name, distribution in common.items()
            if not distribution.single() and parameter_of(distribution) is not None
        }

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The params that nonstop proposes; they are recorded before they are returned."""
        if not search_space:
            return {}
        frame = Frame.of(search_space)
        fixed = frame.fixed(trial)
        if len(fixed) == len(search_space):
            return frame.external(fixed)
        seed = self._seed  # another thread may change it
        x = self._start(study, trial, frame, fixed, seed)
        if x is None:
            return frame.external(self._proposed(study, trial, frame, fixed, seed))
        values = {**frame.internal(x), **fixed}
        record(study, trial, values)
        return frame.external(values)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """One value without the model: quasi-random among the first trials, then at random."""
        if self._warn_independent_sampling and self._is_modelled(study, trial):
            _LOG.warning(_independent(param_name, param_distribution, trial.number))
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)
        parameter = parameter_of(param_distribution)
        if trial.number < self._n_startup_trials and parameter is not None:
            place = len(trial.params)  # one dimension of the sequence for each param, in the order of their suggestion
            u = halton(1, place + 1, self._seed, trial.number)[:, place:]
            frame = Frame.of({param_name: param_distribution})
            return frame.external(frame.internal(cube_of(frame.space).spread(u)[0]))[param_name]
        seed = seed_of(self._seed, trial.number, crc32(param_name.encode())) % 2**32
        return RandomSampler(seed).sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """For the independent sampler."""
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Keep the constraints of the trial, where Optuna's samplers keep theirs."""
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            constraints = tuple(float(value) for value in self._constraints_func(trial))
            if any(map(math.isnan, constraints)):
                raise ValueError(f"the constraints of Trial#{trial.number} must be numbers, not {constraints}")
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", constraints)
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    def _is_modelled(self, study: Study, trial: FrozenTrial) -> bool:
        """Would a param of the common search space be proposed by the model?"""
        if trial.number < self._n_startup_trials:
            return False
        return bool(study._get_trials(deepcopy=False, states=(TrialState.COMPLETE,), use_cache=True))

    def _start(
        self, study: Study, trial: FrozenTrial, frame: Frame, fixed: Mapping[str, float], seed: int
    ) -> Array | None:
        """The point of the study's quasi-random sequence for one of its first trials; in a discrete space, the next one
        that is new. None if the model is to propose."""
        if trial.number >= self._n_startup_trials:
            return None
        ground = held(cube_of(frame.space), frame.partial(fixed)) if fixed else cube_of(frame.space)
        if not ground.is_discrete:
            first: Array = filling(ground, seed, trial.number, 1)[0]
            return first
        tried = {tuple(x) for x in Known.of(study, trial.number, frame).tried.tolist()}
        points = filling(ground, seed, trial.number, _LOOKAHEAD)
        return next((x for x in points if tuple(frame.points([frame.internal(x)])[0].tolist()) not in tried), None)

    def _proposed(
        self, study: Study, trial: FrozenTrial, frame: Frame, fixed: Mapping[str, float], seed: int
    ) -> dict[str, float]:
        """What the model proposes, recorded. Optuna has no transactions, and trials that are proposed at the same time
        do not know of each other: so whoever finds, before recording its proposal, that another one with nearly the
        same was quicker, makes it again; and afterwards it is the trial of the higher number that gives way, unless it
        is evaluated already."""
        known = Known.of(study, trial.number, frame)
        for left in reversed(range(_ROUNDS)):
            proposal = self._proposal(known, frame, fixed, seed_of(seed, trial.number))
            running = running_of(study, trial.number, frame)
            if left and _rivals(frame, proposal, running, known.running):
                known = Known.of(study, trial.number, frame)
                continue
            values = {**frame.internal(proposal.x), **fixed}
            record(study, trial, values, [about.hyperparameters for about in proposal.predictions])
            if not running or not left:  # all who come later see what was recorded here
                break
            near = _rivals(frame, proposal, running_of(study, trial.number, frame), known.running)
            if near and min(near) > trial.number:  # they give way if they know of this one, so they get the time for it
                time.sleep(_PATIENCE * proposal.seconds)
                near = _rivals(frame, proposal, running_of(study, trial.number, frame), known.running)
            if not near:
                break
            known = Known.of(study, trial.number, frame)
        return values

    def _proposal(self, known: Known, frame: Frame, fixed: Mapping[str, float], seed: int) -> Proposal:
        return propose(
            known.X,
            known.Y,
            goals=known.goals,
            busy=known.busy,
            rule=self._rule,
            seed=seed,
            believed=known.believed,
            failed=known.failed,
            cube=cube_of(frame.space),
            fixed=frame.partial(fixed) if fixed else None,
            warm=known.warm,
        )


def _rivals(frame: Frame, proposal: Proposal, running: Running, before: Running) -> list[int]:
    """The trials that have become busy since, so near to the proposal that the model knows one from the other."""
    new = [
        (number, values) for number, values in running.items() if values is not None and values != before.get(number)
    ]
    scales = np.ones_like(proposal.x)
    for about in proposal.predictions:
        scales = np.minimum(scales, about.hyperparameters.lengthscales)
    apart = (frame.points([values for _, values in new]) - proposal.x) / scales
    return [number for (number, _), r in zip(new, np.sqrt(np.square(apart).sum(axis=1)), strict=True) if r < _NEAR]


def _independent(name: str, distribution: BaseDistribution, number: int) -> str:
    why = "it is not in the search space that all completed trials have in common"
    if parameter_of(distribution) is None:
        why = f"{distribution} is beyond what nonstop's model can represent"
    return (
        f"The parameter `{name}` in Trial#{number} is sampled independently, not by the model of `NonstopSampler`: "
        f"{why}. `warn_independent_sampling=False` suppresses this warning."
    )
