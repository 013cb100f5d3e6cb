"""What one thread does with one study in a storage: report, request, read what is new, propose and start trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nonstop.clock import Clock, WallClock
from nonstop.storage.contract import Storage
from nonstop.trials.messages import Exchange, Report, Request, Start
from nonstop.trials.mirror import Mirror
from nonstop.trials.spec import Spec
from nonstop.trials.suggest import Basis, Proposer, suggest
from nonstop.trials.trial import Trial, TrialState


class Session:
    """Belongs to one thread. `on_changes` is called with every change once, in order; `reach` makes every call of the
    storage, and may repeat it. `budget` is how many results the study is to have, if that is known. `proposer` takes
    the place of propose()."""

    def __init__(
        self,
        storage: Storage,
        study: int,
        spec: Spec,
        clock: Clock | None = None,
        on_changes: Callable[[Iterable[Trial]], None] = lambda _changes: None,
        reach: Callable[[Callable[[], Exchange]], Exchange] = lambda call: call(),
        budget: int | None = None,
        proposer: Proposer | None = None,
    ) -> None:
        self.storage = storage
        self.study = study
        self.spec = spec
        self.budget = budget
        self.proposer = proposer
        #: The trials, as of the latest exchange.
        self.mirror = Mirror(spec.space)
        #: Seconds spent in the storage.
        self.storing = 0.0
        self._clock = clock or WallClock()
        self._on_changes = on_changes
        self._reach = reach

    def exchange(self, report: Report | None = None, request: Request | None = None) -> Exchange:
        """Report, request and read in one transaction; with neither, only read."""
        return self._applied(lambda: self.storage.exchange(self.study, self.mirror.cursor, report, request))

    def start(self, trial: Trial) -> Trial:
        """The granted trial, RUNNING. If it has no params, propose them, and again whenever another worker's proposal
        from the same data overtakes this one."""
        while trial.state is TrialState.PROPOSING:
            basis = Basis.of(self.mirror, trial)
            suggestion = suggest(self.spec, self.mirror, trial, basis, budget=self.budget, proposer=self.proposer)
            start = Start(
                trial.number,
                trial.attempt,
                suggestion.params,
                suggestion.seed,
                suggestion.diagnostics,
                unique=not self.spec.noisy,
            )
            trial = self._started(start).trial or trial
        return trial

    def _started(self, start: Start) -> Exchange:
        return self._applied(lambda: self.storage.start(self.study, start, self.mirror.cursor))

    def _applied(self, call: Callable[[], Exchange]) -> Exchange:
        """The answer of the storage, applied. The time counts as storing, also if there is no answer."""
        before = self._clock.monotonic()
        try:
            answer = self._reach(call)
            self.mirror.apply(answer.changes)
            self._on_changes(answer.changes)
        finally:
            self.storing += self._clock.monotonic() - before
        return answer
