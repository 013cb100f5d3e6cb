"""One worker loop, its leases and its stop, in memory and with a clock of our own."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from dataclasses import replace

import pytest

import nonstop
from nonstop.errors import StartError, StorageError, StudyError
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.messages import Exchange, HandOn, Pulse, Report, Request
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Value
from nonstop.workers.command import Command
from nonstop.workers.deadline import Deadline
from nonstop.workers.lease import Heart, Heartbeat, Lease, LeaseWatch
from nonstop.workers.objective import Objective
from nonstop.workers.stopping import StopFlag, StopRequested, stop_on_signals
from nonstop.workers.worker import ConsecutiveFailures, Task, Terms, Worker
from tests.helpers.clocks import HandClock, TickingClock

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


def bowl(params: dict[str, Value]) -> float:
    return sum((float(str(value)) - 0.3) ** 2 for value in params.values())


def failing(_params: object) -> float:
    raise ValueError("no luck")


def a_study() -> nonstop.Study:
    return nonstop.create_study(MemoryStorage(), space=SPACE)


def a_task(study: nonstop.Study, objective: Objective, **terms: object) -> Task:
    return Task(study.storage, study.id, study.spec, objective, Terms(**terms))  # type: ignore[arg-type]


def taken_by(study: nonstop.Study, worker: str) -> Trial:
    """A trial as a worker holds it: study.ask() would hold it without a heartbeat."""
    session = study._session
    granted = session.exchange(request=Request(worker, worker)).trial
    assert granted is not None
    return session.start(granted)


def test_a_worker_runs_its_budget_and_no_more() -> None:
    study = a_study()
    usage = Worker(a_task(study, bowl, n_trials=12), "me").run()
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETED] * 12
    assert {trial.worker for trial in study.trials} == {"me"}
    assert usage.worker == "me"
    assert usage.proposing > 0.0
    assert Worker(a_task(study, bowl, n_trials=12), "me").run().evaluating == 0.0
    assert len(study.trials) == 12


def test_every_proposal_sees_the_result_before_it() -> None:
    """Report and request are one exchange: with one worker, the version is always the number."""
    study = a_study()
    Worker(a_task(study, bowl, n_trials=10), "me").run()
    assert [trial.version for trial in study.trials] == list(range(10))


def test_failures_are_stored_and_cost_no_budget() -> None:
    study = a_study()
    calls = iter(range(100))
    flaky: Objective = lambda params: failing(params) if next(calls) % 2 else bowl(params)  # noqa: E731
    Worker(a_task(study, flaky, n_trials=5), "me").run()
    assert sum(trial.state is TrialState.COMPLETED for trial in study.trials) == 5
    failed = [trial for trial in study.trials if trial.state is TrialState.FAILED]
    assert len(failed) == 4
    assert all("no luck" in (trial.reason or "") for trial in failed)


def test_too_many_failures_in_a_row_stop_the_run_with_the_reason() -> None:
    study = a_study()
    with pytest.raises(StudyError, match=r"stopped after 4 failed trials in a row.*no luck"):
        Worker(a_task(study, failing, n_trials=50, max_failures=4), "me").run()
    assert [trial.state for trial in study.trials] == [TrialState.FAILED] * 4
    since = study.trials[-1].sequence
    Worker(a_task(study, bowl, n_trials=2, max_failures=4, since=since), "me").run()
    assert study.best_value >= 0.0


def test_consecutive_failures_end_with_a_result_and_begin_with_the_run() -> None:
    def ended(number: int, state: TrialState) -> Trial:
        return Trial(number, state, sequence=number, reason="r")

    failures = ConsecutiveFailures(since=2)
    failures.update([ended(n, TrialState.FAILED) for n in (1, 2)])
    assert failures.count == 0
    failures.update([ended(3, TrialState.FAILED), ended(4, TrialState.RUNNING), ended(5, TrialState.FAILED)])
    assert failures.count == 2
    failures.update([ended(6, TrialState.COMPLETED)])
    assert failures.count == 0
    failures.update([ended(7, TrialState.FAILED), replace(ended(7, TrialState.COMPLETED), sequence=8)])
    assert failures.count == 0, "a late result revived it"


def ended(number: int, failed: bool, reason: str = "r") -> Trial:
    state = TrialState.FAILED if failed else TrialState.COMPLETED
    return Trial(number, state, sequence=number, reason=reason, worker="w", asked_at=1.0)


def test_a_study_in_which_results_come_in_is_not_hopeless() -> None:
    failures = ConsecutiveFailures(since=0)
    failures.update([ended(1, failed=False)])
    failures.update([ended(n, failed=True, reason=f"ValueError: {'abc'[n % 3]} is too large") for n in range(2, 200)])
    assert failures.count == 198
    assert not failures.is_hopeless(10)
    assert not failures.is_hopeless(None)


def test_the_same_reason_again_and_again_is_hopeless() -> None:
    """Sooner if nothing completed in this run: its command is new, that of an earlier one was not broken."""
    for since, most in ((0, 30), (1, 10)):
        failures = ConsecutiveFailures(since)
        failures.update([ended(1, failed=False)])
        reasons = [f"disk full: {n} bytes left, {n}.5e-3 s" for n in range(2, most + 1)]
        failures.update([ended(n, failed=True, reason=reason) for n, reason in enumerate(reasons, start=2)])
        assert not failures.is_hopeless(10)
        last = Report("id", 99, 1, TrialState.FAILED, reason="disk full: 7 bytes left, 7.5E+3 s")
        assert failures.is_hopeless(10, last)
        assert not failures.is_hopeless(10, replace(last, reason="something else"))
        failures.update([ended(most + 1, failed=True, reason="disk full: 0 bytes left, 1 s")])
        assert failures.is_hopeless(10)
        failures.update([ended(most + 2, failed=False)])
        assert not failures.is_hopeless(10)


def test_without_any_result_different_reasons_are_hopeless_too() -> None:
    failures = ConsecutiveFailures(since=0)
    failures.update([replace(ended(1, failed=False), asked_at=None)])  # a value that was added, not evaluated
    failures.update([ended(n, failed=True, reason="abc"[n % 3]) for n in range(2, 12)])
    assert failures.is_hopeless(10)


def test_a_study_in_which_two_in_five_fail_goes_on() -> None:
    def crashing(params: dict[str, Value]) -> float:
        if float(str(params["x"])) > 0.6:
            raise ValueError("diverged")
        return bowl(params)

    study = a_study()
    Worker(a_task(study, crashing, n_trials=40), "me").run()
    assert sum(trial.state is TrialState.COMPLETED for trial in study.trials) == 40
    assert sum(trial.state is TrialState.FAILED for trial in study.trials) <= 10


def test_a_command_that_cannot_be_started_ends_the_run_and_gives_its_trial_back() -> None:
    study = a_study()
    with pytest.raises(StartError, match=r"cannot be started.*ns-no-such-program"):
        Worker(a_task(study, Command("ns-no-such-program {x}"), n_trials=5), "me").run()
    (trial,) = study.trials
    assert trial.state is TrialState.WAITING
    Worker(a_task(study, bowl, n_trials=1), "me").run()
    assert study.best_trial.number == 0


def test_after_the_deadline_no_trial_starts() -> None:
    study, clock = a_study(), HandClock()

    def slow(params: dict[str, Value]) -> float:
        clock.sleep(4.0)
        return bowl(params)

    usage = Worker(a_task(study, slow, deadline=Deadline.after(10.0, clock)), "me", clock=clock).run()
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETED] * 3  # the third began at 8 s
    assert usage.evaluating == pytest.approx(12.0)


def test_the_deadline_is_on_the_clock_that_does_not_jump() -> None:
    study, clock = a_study(), HandClock()
    jumps = iter([0.0])

    def slow(params: dict[str, Value]) -> float:
        clock.sleep(4.0)
        return bowl(params)

    real = clock.now
    clock.now = lambda: real() + next(jumps, -500.0)  # type: ignore[method-assign]
    Worker(a_task(study, slow, deadline=Deadline.after(10.0, clock), n_trials=20), "me", clock=clock).run()
    assert len(study.trials) == 3


def test_a_trial_that_was_granted_before_the_deadline_is_evaluated() -> None:
    study, clock = a_study(), HandClock()
    real = study.storage.exchange

    def exchange(study: int, cursor: int, report: Report | None = None, request: Request | None = None) -> Exchange:
        answer = real(study, cursor, report, request)
        if request is not None:
            clock.sleep(11.0)
        return answer

    study.storage.exchange = exchange  # type: ignore[method-assign]
    Worker(a_task(study, bowl, deadline=Deadline.after(10.0, clock)), "me", clock=clock).run()
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETED]


def test_a_worker_waits_for_budget_that_another_may_give_back() -> None:
    study, clock = a_study(), HandClock()
    other = study.ask("other")

    seen: list[float] = []

    def sleep(seconds: float) -> None:
        seen.append(seconds)
        clock.time += seconds
        if len(seen) == 12:
            study.tell(other, state="failed", reason="gave up")

    clock.sleep = sleep  # type: ignore[method-assign]
    usage = Worker(a_task(study, bowl, n_trials=3), "me", clock=clock).run()
    assert sum(trial.state is TrialState.COMPLETED for trial in study.trials) == 3
    assert seen[0] == 0.05
    assert seen == sorted(seen)
    assert max(seen) == 1.0
    assert usage.idle == pytest.approx(sum(seen))


def test_a_pulled_brake_ends_the_loop_between_trials() -> None:
    study, stop = a_study(), StopFlag()

    def objective(params: dict[str, Value]) -> float:
        if len(study.trials) == 3:
            stop.set()
        return bowl(params)

    Worker(a_task(study, objective, n_trials=50), "me", stop).run()
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETED] * 3, "the third result counts"


@pytest.mark.parametrize("ending", ["kill -TERM $$", "exit 143"])
def test_a_signal_that_reaches_the_command_before_the_worker_is_no_failure_of_the_trial(ending: str) -> None:
    """Slurm sends it to all processes of a task, in any order."""
    study = a_study()
    command = Command(f"sh -c '(sleep 0.2; kill -TERM $PPID) & {ending}' sh {{x}}")
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # should it come too late, it is not for pytest
    try:
        with stop_on_signals() as stop:
            Worker(a_task(study, command, n_trials=5), "me", stop).run()
    finally:
        time.sleep(0.5)
        signal.signal(signal.SIGTERM, before)
    assert [trial.state for trial in study.trials] == [TrialState.WAITING]


def test_a_signal_interrupts_the_objective_and_hands_the_trial_back() -> None:
    study = a_study()
    held: list[object] = []

    def objective(params: dict[str, Value]) -> float:
        if len(study.trials) == 3:
            signal.raise_signal(signal.SIGTERM)
            raise AssertionError("not reached")
        return bowl(params)

    before = signal.getsignal(signal.SIGTERM)
    with stop_on_signals() as stop:
        Worker(a_task(study, objective, n_trials=50), "me", stop, on_hold=held.append).run()
    assert signal.getsignal(signal.SIGTERM) is before
    assert stop.signal == signal.SIGTERM
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETED] * 2 + [TrialState.WAITING]
    assert held[-1] is None
    with pytest.raises(SystemExit) as ending:
        stop.end_process()
    assert ending.value.code == 143
    Worker(a_task(study, bowl, n_trials=3), "other").run()
    assert [(trial.worker, trial.attempt) for trial in study.trials[2:]] == [("other", 2)]


def test_an_interrupted_trial_is_given_back_nine_times() -> None:
    """Interruptions are no fault of a trial, but nothing is given back for ever."""
    study = a_study()

    def objective(_params: object) -> float:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    for attempt in range(1, 11):
        assert [(trial.state, trial.attempt) for trial in study.trials] == [(TrialState.WAITING, attempt)][
            : attempt - 1
        ]
        with stop_on_signals() as stop:
            Worker(a_task(study, objective, n_trials=1), "me", stop).run()
    assert [(trial.state, trial.attempt) for trial in study.trials] == [(TrialState.FAILED, 10)]
    assert "interrupted at attempt 10" in (study.trials[0].reason or "")
    with pytest.raises(KeyboardInterrupt):
        stop.end_process()


@pytest.mark.parametrize("error", [StopRequested, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit, SystemExit])
def test_only_a_signal_is_an_interruption(error: type[BaseException]) -> None:
    study = a_study()
    calls = iter(range(100))

    def objective(params: dict[str, Value]) -> float:
        if next(calls) == 0:
            raise error
        return bowl(params)

    with stop_on_signals() as stop:
        Worker(a_task(study, objective, n_trials=2), "me", stop).run()
    assert not stop.is_set
    assert [trial.state for trial in study.trials] == [TrialState.FAILED, *[TrialState.COMPLETED] * 2]
    assert error.__name__ in (study.trials[0].reason or "")


def test_an_interruption_is_one_whatever_the_objective_makes_of_it() -> None:
    study = a_study()

    def objective(_params: object) -> float:
        try:
            signal.raise_signal(signal.SIGTERM)
        except BaseException as error:
            raise ValueError("wrapped") from error
        raise AssertionError("not reached")

    with stop_on_signals() as stop:
        Worker(a_task(study, objective, n_trials=1), "me", stop).run()
    assert [trial.state for trial in study.trials] == [TrialState.WAITING]


def test_a_stop_that_the_objective_swallows_is_repeated() -> None:
    study = a_study()
    caught: list[str] = []

    def objective(_params: object) -> float:
        for _ in range(3):
            try:
                if not caught:
                    signal.raise_signal(signal.SIGTERM)
                time.sleep(60)
            except:  # noqa: E722
                caught.append("once more")
        return 0.5

    with stop_on_signals() as stop:
        Worker(a_task(study, objective, n_trials=5), "me", stop).run()
    assert len(caught) == 3
    assert [trial.value for trial in study.trials] == [0.5], "it was stubborn, but it has a value"


def test_a_stop_lets_the_objective_clean_up() -> None:
    study = a_study()
    done: list[str] = []

    def objective(_params: object) -> float:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            time.sleep(1.5)  # longer than the pause before a request is repeated
            done.append("clean")
        raise AssertionError("not reached")

    with stop_on_signals() as stop:
        Worker(a_task(study, objective, n_trials=1), "me", stop).run()
    assert done == ["clean"]
    assert [trial.state for trial in study.trials] == [TrialState.WAITING]


def test_handlers_of_an_objective_are_gone_after_it() -> None:
    study = a_study()

    def objective(params: dict[str, Value]) -> float:
        if len(study.trials) == 2:
            signal.raise_signal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return bowl(params)

    with stop_on_signals() as stop:
        Worker(a_task(study, objective, n_trials=5), "me", stop).run()
    assert stop.signal == signal.SIGTERM
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETED, TrialState.WAITING]


def test_a_signal_outside_the_objective_waits_until_the_work_is_done() -> None:
    with stop_on_signals() as stop:
        signal.raise_signal(signal.SIGTERM)  # as if in a transaction: nothing happens yet
        with pytest.raises(StopRequested), stop.interruptible():
            raise AssertionError("not reached")
        assert stop.requests == 1


def test_a_trial_taken_by_another_while_it_was_proposed_is_dropped() -> None:
    """What a stall of a lease in the middle of a proposal looks like to the worker that comes back."""
    study = a_study()
    storage = study.storage
    real = storage.exchange
    stolen: list[int] = []

    def exchange(study: int, cursor: int, report: Report | None = None, request: Request | None = None) -> Exchange:
        answer = real(study, cursor, report, request)
        if request is not None and not stolen and answer.trial is not None:
            stolen.append(answer.trial.number)
            storage.hand_on(study, HandOn(answer.trial.number, 1, "stalled", max_attempts=3))
        return answer

    storage.exchange = exchange  # type: ignore[method-assign]
    Worker(a_task(study, bowl, n_trials=4), "me").run()
    assert [(trial.state, trial.attempt) for trial in study.trials] == [
        (TrialState.COMPLETED, 2),
        *[(TrialState.COMPLETED, 1)] * 3,
    ]


def test_a_result_that_cannot_be_stored_is_at_least_said() -> None:
    study = a_study()

    def objective(_params: object) -> float:
        study.storage.close()
        return 0.125

    with pytest.raises(StorageError, match=r"trial 0 = 0\.125 could not be handed in"):
        Worker(a_task(study, objective, n_trials=3), "me").run()


PULSE = Pulse(0, 1, 0, "a")


def test_a_pulse_that_stands_still_for_a_lease_has_expired() -> None:
    watch = LeaseWatch(4.0)
    assert watch.expired([PULSE], 100.0) == []
    assert watch.expired([PULSE], 102.0) == []
    assert watch.expired([PULSE], 103.9) == []
    assert watch.expired([PULSE], 104.0) == [PULSE]


def test_a_beat_or_a_new_attempt_starts_the_lease_anew() -> None:
    for changed in (replace(PULSE, beat=1), replace(PULSE, attempt=2)):
        watch = LeaseWatch(4.0)
        for now in (100.0, 101.0, 102.0, 103.0):
            assert watch.expired([PULSE], now) == []
        for now in (104.0, 105.0, 106.0, 107.0):
            assert watch.expired([changed], now) == []
        assert watch.expired([changed], 108.0) == [changed]


def test_an_observer_that_was_stalled_forgets() -> None:
    watch = LeaseWatch(4.0)
    watch.expired([PULSE], 100.0)
    watch.expired([PULSE], 101.0)
    assert watch.expired([PULSE], 500.0) == []  # stopped, or the storage was locked: nobody could beat
    assert watch.expired([PULSE], 501.0) == []
    assert watch.expired([PULSE], 502.0) == []
    assert watch.expired([PULSE], 503.0) == []
    assert watch.expired([PULSE], 504.0) == [PULSE]


def test_a_heartbeat_keeps_its_own_trial_and_hands_on_the_silent_one() -> None:
    study, clock = a_study(), HandClock()
    mine, silent = (taken_by(study, worker) for worker in ("me", "silent"))
    heart = Heart(study.storage, study.id, Lease(4.0, max_attempts=3), clock)
    for _ in range(5):
        heart.beat([(mine.number, mine.attempt)])
        clock.time += 1.0
    states = {trial.number: trial.state for trial in study.trials}
    assert states == {mine.number: TrialState.RUNNING, silent.number: TrialState.WAITING}
    late = study.tell(silent, 0.5)
    assert late.value == 0.5, "a late result is kept"


def test_a_worker_that_beats_at_the_last_moment_keeps_its_trial() -> None:
    study, clock = a_study(), HandClock()
    silent = taken_by(study, "silent")
    real = study.storage.hand_on

    def hand_on(study_id: int, handed_on: HandOn) -> bool:
        study.storage.beat(study_id, [(silent.number, silent.attempt)])
        return real(study_id, handed_on)

    study.storage.hand_on = hand_on  # type: ignore[method-assign, assignment]
    heart = Heart(study.storage, study.id, Lease(4.0, max_attempts=3), clock)
    for _ in range(5):
        heart.beat([])
        clock.time += 1.0
    assert [trial.state for trial in study.trials] == [TrialState.RUNNING]


def test_a_heartbeat_survives_a_storage_that_does_not() -> None:
    def beating() -> bool:
        return any(thread.name == "nonstop-heartbeat" for thread in threading.enumerate())

    study, closed = a_study(), threading.Event()
    heart = Heart(study.storage, study.id, Lease(0.02))
    with Heartbeat(lambda: heart.beat([]), Lease(0.02), closed.set):
        study.storage.close()
        time.sleep(0.1)
        assert beating()
    assert not beating()
    assert closed.is_set()


def test_no_second_of_a_run_goes_missing() -> None:
    """What is neither the objective nor the storage nor idling counts as proposing: the shares add up to the run."""
    clock = TickingClock()
    usage = Worker(a_task(a_study(), bowl, n_trials=5), "me", clock=clock).run()
    assert usage.total == clock.time - 1.0  # the first look, before the run began
    assert usage.proposing > 0.0
