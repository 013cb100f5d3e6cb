"""A study: ask for params, tell the value, see the best. All of its state is in its storage."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Literal

from nonstop.acquisition.rule import Rule
from nonstop.arguments import flag, number, number_of, seconds, text, text_of, whole_of
from nonstop.clock import WallClock
from nonstop.engines.choose import run_workers
from nonstop.errors import MissingExtraError, StudyError, TrialError
from nonstop.space import Space
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage, StudyRecord
from nonstop.storage.session import Session
from nonstop.surrogate.model import Surrogate
from nonstop.trials.best import best_of
from nonstop.trials.messages import Report, Request
from nonstop.trials.spec import Spec, resumed_spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Direction, Params
from nonstop.wording import shown
from nonstop.workers.deadline import Deadline
from nonstop.workers.lease import Lease, LeaseWatch, expiry
from nonstop.workers.objective import Objective
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Terms, give_back

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

    from nonstop.history.posterior import Belief


class Study:
    """One study in one storage. Made by create_study() or load_study(); belongs to the thread that made it."""

    def __init__(self, storage: Storage, record: StudyRecord, spec: Spec) -> None:
        #: Where the study is kept.
        self.storage = storage
        #: What every worker of the study agrees on: space, direction, rule and so on.
        self.spec = spec
        #: Its name, unique in the storage.
        self.name = record.name
        #: Its number in the storage.
        self.id = record.id
        self._creation = record.creation
        self._session = Session(storage, record.id, spec)
        self._mirror = self._session.mirror
        self._watch = LeaseWatch(math.inf)  # only leases that trials have of their own
        self._sync()

    def __repr__(self) -> str:
        return f"<Study {self.name!r} in {self.storage!r}: {self._mirror.version} results>"

    def ask(self, worker: str | None = None, lease: float | None = None) -> Trial:
        """The next trial to run, with its params. Any number of trials may be running at once.

        `worker` is the name of who evaluates it, for figures. The trial is yours until you tell its value or give it
        back. With a `lease`, it goes to whoever asks next if it was not told within that many seconds.
        """
        name = "" if worker is None else text("worker", worker, StudyError)
        held_for = math.inf if lease is None else seconds("lease", lease, StudyError)
        self._hand_on_expired()
        exchange = self._session.exchange(request=Request(uuid.uuid4().hex, name, lease=held_for))
        assert exchange.trial is not None  # there is no limit in the request
        return self._session.start(exchange.trial)

    def _hand_on_expired(self) -> None:
        """Hand on the asked trials whose own lease expired. Workers do so too, but there may be none."""
        busy = (self._mirror.trials[number] for number in self._mirror.numbers(TrialState.RUNNING))
        if any(trial.lease is not None and math.isfinite(trial.lease) for trial in busy):
            now = WallClock().monotonic()
            asked = [pulse for pulse in self.storage.beat(self.id, []) if pulse.lease is not None]
            for pulse in self._watch.expired(asked, now):
                self.storage.hand_on(self.id, expiry(pulse, Lease()))

    def tell(
        self,
        trial: Trial | int,
        value: float | None = None,
        state: Literal["completed", "failed"] | None = None,
        reason: str | None = None,
    ) -> Trial:
        """Store the value of a trial, or state="failed" with a reason. The first result of a trial counts.

        When it has returned, the result is on the disk. A value that comes after the first is kept in the log of
        results before the TrialError that says so.
        """
        outcome = _outcome(value, state)
        why = None if reason is None else text("reason", reason, TrialError)
        known = self._known(trial)
        attempt = trial.attempt if isinstance(trial, Trial) else known.attempt
        report = Report(uuid.uuid4().hex, known.number, attempt, outcome, number_of(value), why)
        self._session.exchange(report)
        told = self._mirror.trials[known.number]
        late = known.state.finished and told.sequence == known.sequence
        if late or (told.state, told.value) != (report.state, report.value):
            raise TrialError(f"trial {told.number} was told before: it is {told.state}")
        return told

    def give_back(self, trial: Trial | int) -> Trial:
        """Hand a trial on that you asked for and will not evaluate: whoever asks next gets it."""
        known = self._known(trial)
        if known.state.finished:
            raise TrialError(f"trial {known.number} was told before: it is {known.state}")
        attempt = trial.attempt if isinstance(trial, Trial) else known.attempt
        give_back(self.storage, self.id, known.number, attempt)
        self._sync()
        return self._mirror.trials[known.number]

    def _known(self, trial: Trial | int) -> Trial:
        """The trial as it stands in the storage; TrialError if there is none of that number."""
        number = _number_of_trial(trial)
        self._sync()
        known = self._mirror.trials.get(number)
        if known is None:
            raise TrialError(f"study {self.name!r} has no trial {shown(number)}")
        return known

    def enqueue(self, params: Params) -> Trial:
        """Add a point to try: the next ask() returns it, or a worker evaluates it next."""
        return self._insert(params, None)

    def add_trial(self, params: Params, value: float) -> Trial:
        """Add a result from elsewhere, for the model to learn from."""
        _outcome(value, "completed")
        return self._insert(params, number_of(value))

    def _insert(self, params: Params, value: float | None) -> Trial:
        trial = self.storage.insert(self.id, self.spec.space.validate(params), value, uuid.uuid4().hex)
        self._sync()
        return trial

    def optimize(
        self,
        objective: str | Objective,
        n_trials: int | None = None,
        timeout: float | None = None,
        workers: int | Executor = 1,
        *,
        engine: str | Executor | None = None,
        address: str | None = None,
        lease: float = 30.0,
        trial_timeout: float | None = None,
        max_failures: int | None = 10,
        progress: Callable[[Study], None] | None = None,
    ) -> tuple[Usage, ...]:
        """Evaluate the objective on workers that never wait for each other; returns where the time of each went.

        `objective(params)` returns the value; or give "module:function" or a nonstop.Command. `n_trials` is the budget
        of completed trials of the whole study, shared with every other run: calling again resumes. After `timeout`
        seconds no trial starts, but running ones are finished. Ctrl-C and SIGTERM interrupt them instead: they wait for
        the next run.

        `workers=1` runs in this process, `workers=8` in eight others, an Executor in each of its slots. The engines
        "dask" and "ray" run them on the cluster at `address`, or on a local one. `lease` is how many seconds a worker
        may be silent before its trial goes to another; `trial_timeout` limits one evaluation. The run stops with a
        StudyError after `max_failures` failed trials in a row, if nothing ever completed or nothing did in this run and
        the reason is always the same; else after three times as many with the same reason. `progress(study)` is called
        every 0.2 s or less often.
        """
        limit = None if timeout is None else number("timeout", timeout, StudyError, least=0.0, or_else=" of seconds")
        if progress is not None and not callable(progress):
            raise StudyError(f"progress must be a function of the study, not {shown(progress)}")
        self._sync()
        terms = Terms(
            n_trials=n_trials,
            deadline=None if limit is None else Deadline.after(limit),
            lease=Lease(seconds("lease", lease, StudyError)),
            trial_timeout=trial_timeout,
            max_failures=max_failures,
            since=self._mirror.cursor,
        )
        task = Task(self.storage, self.id, self.spec, objective, terms, self._creation)
        return run_workers(task, workers, engine, address, None if progress is None else lambda: progress(self))

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials by number, in their current state."""
        self._sync()
        return tuple(trial for _, trial in sorted(self._mirror.trials.items()))

    @property
    def best_trial(self) -> Trial:
        """The completed trial with the best value; of equals the one whose result came first."""
        self._sync()
        best = best_of(self._mirror.trials.values(), self.spec.sign)
        if best is None:
            raise StudyError(f"study {self.name!r} has no completed trial yet")
        return best

    @property
    def best_believed(self) -> Belief:
        """The completed trial that the model believes best, and what it believes its value to be.

        The best value of a noisy objective is partly luck. Without noise, this is best_trial.
        """
        from nonstop.history.posterior import believed_best

        found = believed_best(self.spec, self.trials)
        if found is None:
            raise StudyError(f"study {self.name!r} has no completed trial yet, or none that a model can be built from")
        return found

    @property
    def best_value(self) -> float:
        """The value of the best trial."""
        value = self.best_trial.value
        assert value is not None
        return value

    @property
    def best_params(self) -> Params:
        """The params of the best trial."""
        params = self.best_trial.params
        assert params is not None
        return params

    def to_dataframe(self) -> pd.DataFrame:
        """One row per trial: number, state, value, the params, when it started and how long it took."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("study.to_dataframe()", "dataframe") from error
        rows = [
            {
                "number": trial.number,
                "state": trial.state.value,
                "value": trial.value,
                **{f"params_{name}": value for name, value in (trial.params or {}).items()},
                "started_at": trial.started_at,
                "seconds": None
                if trial.started_at is None or trial.finished_at is None
                else trial.finished_at - trial.started_at,
            }
            for trial in self.trials
        ]
        params = [f"params_{name}" for name in self.spec.space.names]
        return pd.DataFrame(rows, columns=["number", "state", "value", *params, "started_at", "seconds"])

    def plot(self, name: str) -> Figure:
        """A Plotly figure of the study: "trace", "timeline", "slices", "contour", "parallel", "lengthscales",
        "distances" or "check"."""
        from nonstop.plots import draw

        return draw(name, self.spec, self.trials)

    def _sync(self) -> None:
        self._session.exchange()


def create_study(
    storage: str | Storage | None = None,
    name: str | None = None,
    *,
    space: Space,
    direction: Direction | None = None,
    rule: str | Rule | None = None,
    surrogate: str | Surrogate | None = None,
    seed: int | None = None,
    noisy: bool | None = None,
    initial: int | None = None,
    command: str | None = None,
    load_if_exists: bool = False,
) -> Study:
    """A new study in a storage (a URL, or None for memory).

    What is not given has the defaults of nonstop.trials.spec.Spec: minimize, seed 0, the default rule and surrogate.
    With load_if_exists, the existing study of that name, if there is one: then what is not given is as stored, and what
    is given must equal what is stored (StudyMismatchError says what does not).
    """
    given = {
        "space": space,
        "direction": direction,
        "rule": rule,
        "surrogate": surrogate,
        "seed": seed,
        "noisy": noisy,
        "initial": initial,
    }
    flag("load_if_exists", load_if_exists, StudyError)
    chosen = f"study-{uuid.uuid4().hex[:8]}" if name is None else text("name", name, StudyError)
    chosen_ones = {key: value for key, value in {**given, "command": command}.items() if value is not None}
    spec = Spec(**{"space": space, **chosen_ones})  # type: ignore[arg-type]
    opened = open_storage(storage)
    try:
        return Study(opened, opened.create_study(chosen, spec.to_json()), spec)
    except StudyError:
        if not load_if_exists or name is None:
            raise
    return _loaded(opened, chosen, given)


def load_study(
    storage: str | Storage | None,
    name: str,
    rule: str | Rule | None = None,
    surrogate: str | Surrogate | None = None,
    space: Space | None = None,
) -> Study:
    """The study of that name. Pass the rule or surrogate again if it is an object of your own, and the space if it has
    a constraint that is a function."""
    given = {"rule": rule, "surrogate": surrogate, "space": space}
    return _loaded(open_storage(storage), text("name", name, StudyError), given)


def _loaded(storage: Storage, name: str, given: Mapping[str, object]) -> Study:
    record = storage.load_study(name)
    return Study(storage, record, resumed_spec(name, record.spec, given))


def _outcome(value: object, state: object) -> TrialState:
    """COMPLETED or FAILED; TrialError if value and state do not fit."""
    known = text_of(state)
    if known == "failed":
        if value is not None:
            raise TrialError(f"a failed trial has no value, but {shown(value)} was told")
        return TrialState.FAILED
    if state is not None and known != "completed":
        raise TrialError(f"state must be 'completed' or 'failed', not {shown(state)}")
    if number_of(value) is None:
        raise TrialError(f"a value must be a finite number, not {shown(value)}; use state='failed' if there is none")
    return TrialState.COMPLETED


def _number_of_trial(trial: object) -> int:
    number = whole_of(trial.number if isinstance(trial, Trial) else trial)
    if number is None:
        raise TrialError(f"a trial must be a nonstop.Trial or its number, not {shown(trial)}")
    return number
