"""One thread's talk with a storage about one study: hand in, ask, read what is new, and settle a trial's params."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nonstop.clock import Clock, WallClock
from nonstop.storage.contract import Storage
from nonstop.trials.messages import Exchange, Report, Request, Start
from nonstop.trials.mirror import Mirror
from nonstop.trials.spec import Spec
from nonstop.trials.suggest import Basis, suggest
from nonstop.trials.trial import Trial, TrialState


class Session:
    """Belongs to one thread. What the storage said is in `mirror`; how long it took to say it, in `storing`. `listen`
    hears every change once, in order."""

    def __init__(
        self,
        storage: Storage,
        study: int,
        spec: Spec,
        clock: Clock | None = None,
        listen: Callable[[Iterable[Trial]], None] = lambda _changes: None,
    ) -> None:
        self.storage = storage
        self.study = study
        self.spec = spec
        self.mirror = Mirror(spec.space)
        self.storing = 0.0
        self._clock = clock or WallClock()
        self._listen = listen

    def exchange(self, report: Report | None = None, request: Request | None = None) -> Exchange:
        """Report, request and read in one transaction; with neither, only read."""
        before = self._clock.monotonic()
        answer = self.storage.exchange(self.study, self.mirror.cursor, report, request)
        return self._taken(answer, before)

    def settle(self, trial: Trial) -> Trial:
        """Give a granted trial its params, anew as often as another worker's proposal from the same data overtakes."""
        while trial.state is TrialState.PROPOSING:
            suggestion = suggest(self.spec, self.mirror, trial, Basis.of(self.mirror, trial))
            before = self._clock.monotonic()
            answer = self.storage.start(
                self.study,
                Start(
                    trial.number,
                    trial.attempt,
                    suggestion.params,
                    suggestion.seed,
                    suggestion.diagnostics,
                    unique=not self.spec.noisy,
                ),
                self.mirror.cursor,
            )
            trial = self._taken(answer, before).trial or trial
        return trial

    def _taken(self, answer: Exchange, before: float) -> Exchange:
        self.mirror.apply(answer.changes)
        self._listen(answer.changes)
        self.storing += self._clock.monotonic() - before
        return answer
