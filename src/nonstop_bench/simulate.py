"""Asynchronous optimisation on a virtual clock: real proposals, simulated durations.

The study, its storage in memory and propose() are the ones that users run; only the clock and the evaluations are
simulated. Events are a heap of (time, counter): of two workers that finish at the same instant the one that started
first goes first, tells, reads and proposes, and the other then sees its result.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

import nonstop
from nonstop import Proposal, propose
from nonstop.acquisition.rule import Rule
from nonstop.space.encoding import cube_of, encode
from nonstop.storage.memory import MemoryStorage
from nonstop_bench.durations import DURATIONS, Duration
from nonstop_bench.problems.task import Task, observed
from nonstop_bench.released import Seeing

Mode: TypeAlias = Literal["asynchronous", "synchronous"]
#: Virtual seconds that a suggestion costs its worker: a constant, or the processor time that it took.
Overhead: TypeAlias = float | Literal["measured"]


class Optimizer(Protocol):
    """Another optimiser instead of propose(). Points are given as params; values are minimised."""

    def ask(self, busy: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
        """The next params to evaluate, while others are being evaluated at `busy`."""

    def tell(self, params: Mapping[str, object], value: float | None) -> None:
        """A result, also of the points that the optimiser did not choose; None: the evaluation failed."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One run. It ends at the horizon or after max_trials, whichever is first."""

    problem: Task
    rule: str | Rule = "ucb"
    #: The number of workers; 1 is the sequential reference.
    q: int = 1
    seed: int = 0
    #: Virtual seconds after the initial data.
    horizon: float = 30.0
    #: The number of evaluations after the initial data.
    max_trials: int | None = None
    #: Synchronous workers wait for each other after every batch.
    mode: Mode = "asynchronous"
    #: None: the task's own, or else the paper's.
    duration: str | Duration | None = None
    overhead: Overhead = 0.0
    failure_rate: float = 0.0
    #: The standard deviation of the noise on every value.
    noise: float = 0.0
    surrogate: str | nonstop.Surrogate = "paper"
    #: Replaces rule and surrogate after the first points.
    optimizer: Optimizer | None = None
    #: Without the guard, the rule's own choice is evaluated, whether it is a busy point or not.
    guard: bool = True
    #: Does a fit start from the hyperparameters of the last one, as in every study?
    warm: bool = True
    #: For a run without initial data: how many of its trials are quasi-random. An optimizer then chooses all points.
    initial: int | None = None


@dataclass(slots=True)
class VirtualClock:
    """A Clock that advances only when it is set."""

    time: float = 0.0

    def now(self) -> float:
        """The virtual time."""
        return self.time

    def monotonic(self) -> float:
        """The virtual time."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Advance the clock."""
        self.time += seconds


@dataclass(slots=True, order=True)
class _Event:
    """A worker finishes a trial."""

    time: float
    counter: int
    worker: str = field(compare=False)
    trial: nonstop.Trial = field(compare=False)


@dataclass(frozen=True, slots=True)
class Simulated:
    """A finished run. Mappings are by trial number."""

    #: Its trials have virtual timestamps.
    study: nonstop.Study
    #: How many trials were evaluated before the clock started.
    initial: int
    #: Values without noise.
    exact: Mapping[int, float]
    #: Processor seconds of each suggestion.
    seconds: Mapping[int, float]
    #: The numbers of the trials that were busy when this one was proposed.
    busy: Mapping[int, Sequence[int]]
    #: The proposals, of those trials that have one.
    proposals: Mapping[int, Proposal]


def simulate(setup: Setup) -> Simulated:
    """Run the simulation.

    As in the paper, 3 d quasi-random points are evaluated before the clock starts, and the first points of the
    workers are q further ones; unless the setup says `initial`.
    """
    return _Simulation(setup).run()


class _Simulation:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.clock = VirtualClock()
        scratch = setup.initial is not None
        self.before = 0 if scratch else 3 * cube_of(setup.problem.space).most_active
        self.given = 0 if scratch else setup.q  # of the workers' points: those that no optimizer chooses
        created = nonstop.create_study(
            MemoryStorage(self.clock),
            "simulated",
            space=setup.problem.space,
            rule=setup.rule,
            surrogate=setup.surrogate,
            seed=setup.seed,
            initial=self.before + setup.q if setup.initial is None else setup.initial,
        )
        (record,) = created.storage.list_studies()
        self.study = nonstop.Study(created.storage, record, created.spec, self.propose)
        self.proposal: Proposal | None = None  # the latest
        self.proposals: dict[int, Proposal] = {}
        self.events: list[_Event] = []
        self.counter = 0
        self.exact: dict[int, float] = {}
        self.seconds: dict[int, float] = {}
        self.busy: dict[int, list[int]] = {}

    def run(self) -> Simulated:
        for _ in range(self.before):
            self.tell(self.study.ask())
        workers = [f"w{i}" for i in range(self.setup.q)]
        for worker in workers:
            self.start(worker)
        finish = self.next_batch if self.setup.mode == "synchronous" else self.next_one
        while self.events and self.events[0].time <= self.setup.horizon:
            finish()
        return Simulated(self.study, self.before, self.exact, self.seconds, self.busy, self.proposals)

    def propose(self, *given: Any, **named: Any) -> Proposal:
        """propose(), watched, and without its guard if the setup says so."""
        if isinstance(named["rule"], Seeing):
            named["rule"] = named["rule"].seeing(given[1])
        if not self.setup.warm:
            named["warm"] = None
        self.proposal = propose(*given, **named, repeats=not self.setup.guard)
        return self.proposal

    def next_one(self) -> None:
        """The paper's algorithm 1, lines 8 to 14."""
        event = heapq.heappop(self.events)
        self.clock.time = event.time
        self.tell(event.trial)
        self.start(event.worker)

    def next_batch(self) -> None:
        """Wait for all workers, then ask for all of them; each proposal takes the ones before it as busy points."""
        done = [heapq.heappop(self.events) for _ in range(len(self.events))]
        for event in done:
            self.clock.time = event.time
            if event.time <= self.setup.horizon:
                self.tell(event.trial)
        if self.clock.time <= self.setup.horizon:
            for event in sorted(done, key=lambda event: event.worker):
                self.start(event.worker)

    def start(self, worker: str) -> None:
        if self.setup.max_trials is not None and self.counter >= self.setup.max_trials:
            return
        trial, proposing = self.ask(worker)
        seconds = proposing + self.evaluation_seconds(trial)
        heapq.heappush(self.events, _Event(self.clock.time + seconds, self.counter, worker, trial))
        self.counter += 1

    def ask(self, worker: str) -> tuple[nonstop.Trial, float]:
        """The next trial, and the virtual seconds of proposing it."""
        optimizer = self.setup.optimizer
        start = _processor_seconds(optimizer)  # not wall time: other load on the machine must not count
        if optimizer is not None and self.counter >= self.given:
            params = optimizer.ask([event.trial.params or {} for event in self.events])
            self.study.enqueue(self.study.spec.space.validate(params))
        trial = self.study.ask(worker)
        seconds = _processor_seconds(optimizer) - start
        self.seconds[trial.number] = seconds
        if self.proposal is not None:
            self.proposals[trial.number], self.proposal = self.proposal, None
        self.busy[trial.number] = [event.trial.number for event in self.events]
        return trial, seconds if self.setup.overhead == "measured" else self.setup.overhead

    def tell(self, trial: nonstop.Trial) -> None:
        assert trial.params is not None
        value = None
        exact = self.setup.problem.objective(trial.params)
        if self.stream(trial, 1).random() < self.setup.failure_rate:
            self.study.tell(trial, state="failed", reason="injected")
        elif not math.isfinite(exact):
            self.study.tell(trial, state="failed", reason=f"the objective returned {exact!r}")
        else:
            value = observed(self.setup.problem, exact, self.stream(trial, 3))
            value += self.setup.noise * self.stream(trial, 2).standard_normal()
            self.exact[trial.number] = exact
            self.study.tell(trial, value)
        if self.setup.optimizer is not None:
            self.setup.optimizer.tell(trial.params, value)

    def evaluation_seconds(self, trial: nonstop.Trial) -> float:
        assert trial.params is not None
        duration = self.setup.duration or self.setup.problem.duration or "half-normal"
        model = DURATIONS[duration] if isinstance(duration, str) else duration
        return model(self.stream(trial, 0), encode(self.study.spec.space, trial.params))

    def stream(self, trial: nonstop.Trial, purpose: int) -> np.random.Generator:
        """Random numbers of this trial and seed, the same for every rule."""
        return np.random.default_rng([self.setup.seed, trial.number, purpose])


def _processor_seconds(optimizer: Optimizer | None) -> float:
    """Of this process, and of the one that the optimizer runs in if that is another."""
    return time.process_time() + float(getattr(optimizer, "elsewhere", 0.0))
