"""A study: ask for params, tell the value, see the best. All of its state is in its storage."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nonstop.arguments import number, seconds, text
from nonstop.clock import WallClock
from nonstop.engines.choose import run_workers
from nonstop.errors import StudyError, TrialError
from nonstop.live.attend import attended
from nonstop.live.callbacks import Callbacks, listeners_of
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage, StudyRecord
from nonstop.storage.copies import copy_study
from nonstop.storage.session import Session
from nonstop.trials.best import front_of
from nonstop.trials.card import card
from nonstop.trials.messages import Insert, Report, Request
from nonstop.trials.retries import retries, retry_id
from nonstop.trials.rows import inserts_of
from nonstop.trials.spec import Spec
from nonstop.trials.suggest import Proposer, checked_fixed
from nonstop.trials.telling import number_of_trial, told_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.trials.until import Until, check_until, until_of
from nonstop.types import Notes, Params
from nonstop.wording import shown
from nonstop.workers.deadline import Deadline
from nonstop.workers.lease import Lease, LeaseWatch, expiry
from nonstop.workers.notes import with_extras
from nonstop.workers.objective import Objective
from nonstop.workers.running import surroundings_of
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Terms, give_back

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

    from nonstop.history.posterior import Belief


class Study:
    """One study in one storage. Made by create_study() or load_study(); belongs to the thread that made it.

    Pickled as where it is: whoever unpickles it opens the storage anew. One in memory cannot be pickled. `proposer` is
    for simulators that watch the proposals of ask().
    """

    def __init__(self, storage: Storage, record: StudyRecord, spec: Spec, proposer: Proposer | None = None) -> None:
        #: Where the study is kept.
        self.storage = storage
        #: What every worker of the study agrees on: space, direction, rule and so on.
        self.spec = spec
        #: Its name, unique in the storage.
        self.name = record.name
        #: Its number in the storage.
        self.id = record.id
        self._record = record
        self._creation = record.creation
        self._identity = record.creation or uuid.uuid4().hex  # a study in memory lives as long as this
        self._session = Session(storage, record.id, spec, budget=record.budget, proposer=proposer)
        self._mirror = self._session.mirror
        self._callbacks: Callbacks | None = None  # of the run that is under way
        self._watch = LeaseWatch(math.inf)  # only leases that trials have of their own
        self._sync()

    def __repr__(self) -> str:
        return f"<Study {self.name!r} in {self.storage!r}: {self._mirror.version} results>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return card(self.name, repr(self.storage), self.spec, self.trials)

    def __reduce__(self) -> tuple[object, ...]:
        return _reopened, (self.storage, self._record, self.spec)

    def ask(
        self, worker: str | None = None, lease: float | None = None, fixed: Mapping[str, object] | None = None
    ) -> Trial:
        """The next trial to run, with its params. Any number of trials may be running at once.

        `worker` is the name of who evaluates it, for figures. The trial is yours until you tell its value or give it
        back. With a `lease`, it goes to whoever asks next if it was not told within that many seconds. `fixed` are
        params that are given, {"dataset": "b"}: the others are proposed for these, and the model learns across all.
        """
        name = "" if worker is None else text("worker", worker, StudyError)
        held_for = math.inf if lease is None else seconds("lease", lease, StudyError)
        given = checked_fixed(self.spec.space, fixed)
        self._hand_on_expired()
        exchange = self._session.exchange(request=Request(uuid.uuid4().hex, name, lease=held_for, fixed=given))
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
        value: float | Mapping[str, object] | None = None,
        state: Literal["completed", "failed"] | None = None,
        reason: str | None = None,
        notes: Notes | None = None,
    ) -> Trial:
        """Store the value of a trial, or state="failed" with a reason. The first result of a trial counts. Where the
        study has outcomes by name, the value is a mapping with all of them, {"error": 0.1, "latency": 3.2}; what else
        is in it is kept as notes. `notes` are kept with it: anything that JSON can hold, by name.

        When it has returned, the result is on the disk. A value that comes after the first is kept in the log of
        results before the TrialError that says so.
        """
        told = told_of(self.spec.goals, value, state)
        why = None if reason is None else text("reason", reason, TrialError)
        known = self._known(trial)
        attempt = trial.attempt if isinstance(trial, Trial) else known.attempt
        kept = {**with_extras({}, told.extras), **(notes or {})}
        identity = uuid.uuid4().hex, known.number, attempt
        self._session.exchange(Report(*identity, told.state, told.value, why, None, kept, told.outcomes))
        found = self._mirror.trials[known.number]
        late = known.state.finished and found.sequence == known.sequence
        if late or (found.state, found.value, found.outcomes) != (told.state, told.value, told.outcomes):
            raise TrialError(f"trial {found.number} was told before: it is {found.state}")
        return found

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
        number = number_of_trial(trial)
        self._sync()
        known = self._mirror.trials.get(number)
        if known is None:
            raise TrialError(f"study {self.name!r} has no trial {shown(number)}")
        return known

    def enqueue(self, params: Params) -> Trial:
        """Add a point to try: the next ask() returns it, or a worker evaluates it next."""
        return self.insert([Insert(self.spec.space.validate(params))])[0]

    def add_trial(self, params: Params, value: float | Mapping[str, object]) -> Trial:
        """Add a result from elsewhere, for the model to learn from: its value, or its outcomes as in tell()."""
        told, valid = told_of(self.spec.goals, value, "completed"), self.spec.space.validate(params)
        notes = with_extras({}, told.extras)
        return self.insert([Insert(valid, told.state, told.value, notes=notes, outcomes=told.outcomes)])[0]

    def add_trials(self, rows: Iterable[object]) -> tuple[Trial, ...]:
        """Add many results from elsewhere in one transaction: all of them or, if one is wrong, none (RowsError).

        A row is (params, value), a Trial, or a mapping as `nonstop export` writes it: with `params`, or a key
        `params_NAME` for each, and `value` or `outcomes`, `state`, `reason`, `notes`, `started_at`, `finished_at`,
        `seconds`.
        Rows without a result are enqueued if their state says that they wait.
        """
        return self.insert(inserts_of(self.spec.space, self.spec.goals, rows))

    def retry(
        self, numbers: Iterable[int] | None = None, *, reason: str | None = None, again: bool = False
    ) -> tuple[Trial, ...]:
        """Enqueue failed trials again, as new trials with the same params and a note `retry_of`: all, those with these
        numbers, or those whose reason contains a text. What was retried before is left out unless `again`."""
        wanted = None if numbers is None else [number_of_trial(number) for number in numbers]
        inserts = retries(self.trials, wanted, reason, again)
        return self.insert(inserts, None if again else retry_id(inserts))

    def insert(self, inserts: Sequence[Insert], request_id: str | None = None) -> tuple[Trial, ...]:
        """Insert trials whose params are checked already, in one transaction; with the same id again, nothing."""
        trials = tuple(self.storage.insert(self.id, inserts, request_id or uuid.uuid4().hex))
        self._sync()
        return trials

    def rename(self, name: str) -> None:
        """Give the study another name. Its workers notice nothing."""
        self.storage.rename_study(self.id, text("name", name, StudyError))
        self.name = name

    def copy(self, name: str | None = None, storage: str | Storage | None = None) -> Study:
        """An exact copy under another name, or in another storage: proposals, seeds and times included, so that it
        replays the same. Trials that are running here are waiting in the copy."""
        target = self.storage if storage is None else open_storage(storage)
        chosen = self.name if name is None else text("name", name, StudyError)
        return Study(target, copy_study(self.storage, self.id, target, chosen), self.spec)

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
        until: Until | str | Sequence[str] | None = None,
        on_result: Callable[[Study, Trial], object] | None = None,
        progress: bool | Callable[[Study], object] | None = None,
        folder: str | Path | None = None,
        keep_output: bool = True,
        environments: Sequence[Mapping[str, str]] = (),
        fixed: Mapping[str, object] | None = None,
    ) -> tuple[Usage, ...]:
        """Evaluate the objective on workers that never wait for each other; returns where the time of each went.

        `objective(params)` or `objective(params, trial)` returns the value, or a mapping with `value` (or the outcomes
        that the study asks for) and notes; give "module:function" or a nonstop.Command instead. `n_trials` is the
        budget of completed trials of the whole study, shared with every other run: calling again resumes. After
        `timeout` seconds no trial starts, but running ones are finished. Ctrl-C and SIGTERM interrupt them instead:
        they wait for the next run.

        `workers=1` runs in this process, `workers=8` in eight others, an Executor in each of its slots. The engines
        "dask" and "ray" run them on the cluster at `address`, or on a local one. `lease` is how many seconds a worker
        may be silent before its trial goes to another; `trial_timeout` limits one evaluation. The run stops with a
        StudyError after `max_failures` failed trials in a row, if nothing ever completed or nothing did in this run and
        the reason is always the same; else after three times as many with the same reason.

        `until` stops all runs of the study that have it, once it is met: nonstop.Until(value=0.01, patience=50), or a
        text such as "value 0.01 or no improvement in 50". `on_result(study, trial)` is called here, in the thread that
        called optimize(), for each result that comes during the run, failures included; it may call study.stop(). If it
        raises, the run ends as with Ctrl-C. `progress` shows a line of progress on stderr: True does, False does not,
        None does where somebody looks, in a terminal or a notebook. A function is called with the study every 0.2 s or
        less often instead.

        Each trial has a folder of its own (RunningTrial.folder) below `folder`, by default "nonstop-runs" here. What
        commands print is kept there, unless `keep_output` is False. `environments` are variables for the workers'
        environments, one mapping for each: [{"CUDA_VISIBLE_DEVICES": "0"}, {"CUDA_VISIBLE_DEVICES": "1"}]. `fixed` are
        params of every trial of this run, as in ask().
        """
        limit = None if timeout is None else number("timeout", timeout, StudyError, least=0.0, or_else=" of seconds")
        listeners = listeners_of(self, on_result, progress)
        self._sync()
        terms = Terms(
            n_trials=n_trials,
            deadline=None if limit is None else Deadline.after(limit),
            lease=Lease(seconds("lease", lease, StudyError)),
            trial_timeout=trial_timeout,
            max_failures=max_failures,
            since=self._mirror.cursor,
            until=None if until is None else check_until(until_of(until), self.spec.goals),
            fixed=checked_fixed(self.spec.space, fixed),
        )
        surroundings = surroundings_of(self.name, self._identity, folder, keep_output, environments)
        task = Task(self.storage, self.id, self.spec, objective, terms, self._creation, surroundings)
        self._callbacks = callbacks = Callbacks(self.storage, self.id, terms.since, listeners)
        try:
            during = attended(task, self.name, self.trials, callbacks)
            return run_workers(task, workers, engine, address, callbacks.ticker(), during)
        finally:
            self._callbacks = None

    def stop(self) -> None:
        """End the run that is under way, from its on_result or progress function: trials that run are finished, and no
        other starts."""
        if self._callbacks is None:
            raise StudyError("no run is under way: stop() is for the functions that optimize() calls")
        self._callbacks.enough = True

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials by number, in their current state."""
        self._sync()
        return tuple(trial for _, trial in sorted(self._mirror.trials.items()))

    @property
    def best_trial(self) -> Trial:
        """The completed trial with the best value; of equals the one whose result came first. With constraints, the
        best of those that are feasible; before there is one, the one that violates them least. StudyError if there are
        several objectives: see best_trials."""
        if self.spec.goals.several:
            wanted = ", ".join(self.spec.goals.objectives)
            raise StudyError(f"study {self.name!r} has several objectives ({wanted}): ask for best_trials")
        found = self.best_trials
        if not found:
            raise StudyError(f"study {self.name!r} has no completed trial yet")
        return found[0]

    @property
    def best_trials(self) -> tuple[Trial, ...]:
        """The feasible trials that no other is better than, in the order of their results: the Pareto front of several
        objectives, or the one best trial. Before anything is feasible, the one that violates the constraints least."""
        self._sync()
        return tuple(front_of(self._mirror.trials.values(), self.spec.goals))

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
        """One row per trial: number, state, value, the params, who evaluated it, when, for how long, why it failed."""
        from nonstop.history.frame import dataframe

        return dataframe(self.spec, self.trials)

    def plot(self, name: str, outcome: str | None = None) -> Figure:
        """A Plotly figure of the study: "trace", "timeline", "slices", "contour", "parallel", "lengthscales",
        "distances" or "check"; with several objectives also "front" and "hypervolume", which its trace is; with
        constraints also "constraints". With several outcomes, "trace", "slices", "contour", "parallel", "lengthscales"
        and "check" are of the first objective, or of the `outcome` that is named; "trace" and "parallel" may be of a
        note."""
        from nonstop.plots import draw

        return draw(name, self.spec, self.trials, outcome)

    def _sync(self) -> None:
        self._session.exchange()


def _reopened(storage: Storage, record: StudyRecord, spec: Spec) -> Study:
    """A study that was pickled, with a session of its own. Another that took its name is not meant."""
    for found in storage.list_studies():
        if (found.id, found.creation) == (record.id, record.creation):
            return Study(storage, found, spec)
    raise StudyError(f"the study {record.name!r} that was pickled is no longer in {storage!r}")
