"""Any sequence of calls, on a real database and on the model in memory: the same answers, the same state.

The model shares the transaction script with the database; what is compared is everything else: durable state,
idempotence, counters, cursors, budget. The invariants hold both to the contract itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from nonstop.errors import NonstopError, StudyError
from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.sql import SqlStorage
from nonstop.trials.copying import copied
from nonstop.trials.messages import Exchange, HandOn, Insert, Report, Request
from nonstop.trials.trial import LEGAL, Trial, TrialState
from tests.helpers.postgres import fresh
from tests.helpers.trials import a_start

NUMBERS = st.integers(0, 6)
ATTEMPTS = st.integers(1, 3)
IDS = st.integers(0, 12).map("id {}".format)
PARAMS = st.sampled_from([{"x": 0.0}, {"x": 0.5}, {"x": -0.0, "loss": "l1"}])
#: Of one objective, of several (which need no value), and of those that no number is.
GIVEN: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"a": 1.0, "b": -0.0}, {"b": 1e-300, "größe": 3}, {"a": float("nan")}, {"a": "1"}]
)
#: Mostly of those that can be inserted.
OUTCOMES = st.sampled_from(
    [(TrialState.WAITING, None), (TrialState.COMPLETED, 2.0), (TrialState.COMPLETED, -0.0), (TrialState.FAILED, None)]
    * 4
    + [(TrialState.COMPLETED, None), (TrialState.FAILED, 1.0), (TrialState.RUNNING, None)]
)
INSERTS = st.builds(
    lambda params, told, reason, at, notes, outcomes: Insert(
        params, told[0], told[1], reason, finished_at=at, notes=notes, outcomes=outcomes
    ),
    PARAMS,
    OUTCOMES,
    st.sampled_from([None, "no"]),
    st.sampled_from([None, 5.0, 3.0]),
    st.sampled_from([{}, {"a": [1]}]),
    st.just({}) | GIVEN,
)
LIMITS = st.none() | st.integers(0, 6)


def timeless(answer: object) -> object:
    """The answer without its times, which two storages read from the clock at different moments."""
    if isinstance(answer, Trial):
        known = {name: getattr(answer, name) is not None for name in ("asked_at", "started_at", "finished_at")}
        return replace(answer, asked_at=None, started_at=None, finished_at=None), known
    if isinstance(answer, Exchange):
        changes = tuple(timeless(trial) for trial in answer.changes)
        return changes, answer.cursor, answer.version, answer.counts, timeless(answer.trial)
    return [timeless(part) for part in answer] if isinstance(answer, list | tuple) else answer


class Comparison(RuleBasedStateMachine):
    """`open_real` is set by each test below."""

    open_real: Callable[[], Storage]

    @initialize()
    def begin(self) -> None:
        self.real, self.model = self.open_real(), MemoryStorage()
        name = f"study {next(NAMES)}"
        self.study = self.real.create_study(name, {}).id
        self.model_study = self.model.create_study(name, {}).id
        self.cursor = 0
        self.known: dict[int, Trial] = {}

    def teardown(self) -> None:
        if hasattr(self, "real"):
            self.real.close()

    def both(self, method: str, *arguments: Any) -> None:
        """Call both; they must answer, or refuse, alike."""
        answers = []
        for storage, study in ((self.real, self.study), (self.model, self.model_study)):
            try:
                answers.append(timeless(getattr(storage, method)(study, *arguments)))
            except NonstopError as error:
                answers.append((type(error), str(error)))
        assert answers[0] == answers[1]

    @rule(request=st.builds(Request, IDS, st.sampled_from("ab"), LIMITS), cursor=NUMBERS)
    def ask(self, request: Request, cursor: int) -> None:
        self.both("exchange", cursor, None, request)

    reports = st.builds(
        Report,
        IDS,
        NUMBERS,
        ATTEMPTS,
        st.sampled_from([TrialState.COMPLETED, TrialState.COMPLETED, TrialState.FAILED, TrialState.RUNNING]),
        st.sampled_from([1.0, -0.0, float("nan"), None]),
        st.sampled_from([None, "boom"]),
        outcomes=GIVEN,
    )

    @rule(report=reports)
    def tell(self, report: Report) -> None:
        self.both("exchange", 0, report)

    @rule(report=reports, request=st.builds(Request, IDS, st.sampled_from("ab"), LIMITS))
    def tell_and_ask(self, report: Report, request: Request) -> None:
        self.both("exchange", 0, report, request)

    @rule(number=NUMBERS, attempt=ATTEMPTS, params=PARAMS, behind=st.integers(0, 5), unique=st.booleans())
    def start(self, number: int, attempt: int, params: dict[str, Any], behind: int, unique: bool) -> None:
        cursor = self.model.exchange(self.model_study, 0).cursor - behind
        self.both("start", a_start(number, params, number, attempt=attempt, unique=unique), cursor)

    @rule(rows=st.lists(INSERTS, min_size=3, max_size=3), request_id=IDS)
    def insert(self, rows: list[Insert], request_id: str) -> None:
        count = 1 + int(request_id.split()[1]) % 3  # the same id is the same insertion
        self.both("insert", rows[:count], request_id)

    @rule(name=st.sampled_from(["a", "b", ""]))
    def rename(self, name: str) -> None:
        self.both("rename_study", name and f"{name} {self.study}")

    @rule()
    def move(self) -> None:
        """Go on with a copy; the original is deleted, and does not come back."""
        name, left = f"study {next(NAMES)}", []
        for storage, study in ((self.real, self.study), (self.model, self.model_study)):
            (record,) = [record for record in storage.list_studies() if record.id == study]
            left.append(storage.restore_study(name, record, copied(storage.exchange(study, 0).changes)).id)
        self.both("delete_study")
        with pytest.raises(StudyError, match="no study with id"):
            self.real.exchange(self.study, 0)
        self.study, self.model_study = left
        self.cursor, self.known = 0, {}
        self.both("exchange", 0)

    @rule(mine=st.lists(st.tuples(NUMBERS, ATTEMPTS), max_size=4))
    def beat(self, mine: list[tuple[int, int]]) -> None:
        self.both("beat", mine)

    @rule(number=NUMBERS, attempt=ATTEMPTS, beat=st.none() | st.integers(0, 2), max_attempts=ATTEMPTS)
    def hand_on(self, number: int, attempt: int, beat: int | None, max_attempts: int) -> None:
        self.both("hand_on", HandOn(number, attempt, "silent", max_attempts, beat))

    @invariant()
    def a_reader_that_follows_misses_nothing(self) -> None:
        if not hasattr(self, "real"):
            return
        news, everything = self.real.exchange(self.study, self.cursor), self.real.exchange(self.study, 0)
        assert [trial.sequence for trial in news.changes] == sorted({trial.sequence for trial in news.changes})
        for trial in news.changes:
            old = self.known.get(trial.number)
            assert old is None or trial.state in LEGAL[old.state]
            self.known[trial.number] = trial
        self.cursor = news.cursor
        # A heartbeat is not a change: a follower's beats may be old.
        assert {number: replace(trial, beat=0) for number, trial in self.known.items()} == {
            trial.number: replace(trial, beat=0) for trial in everything.changes
        }

    @invariant()
    def numbers_counters_and_results_are_whole(self) -> None:
        if not hasattr(self, "real"):
            return
        everything = self.real.exchange(self.study, 0)
        states = [trial.state for trial in everything.changes]
        assert sorted(trial.number for trial in everything.changes) == list(range(len(states)))
        assert all(getattr(everything.counts, state.value) == states.count(state) for state in TrialState)
        orders = sorted(trial.order for trial in everything.changes if trial.order is not None)
        assert orders == list(range(1, everything.version + 1))


NAMES = itertools.count()


@contextmanager
def real_storages(backend: str, postgres_url: Callable[[], str]) -> Iterator[Callable[[], Storage]]:
    """How to open a real storage for one run of the machine; PostgreSQL keeps its schema, as creating one is slow."""
    with ExitStack() as stack:
        if backend == "postgresql":
            url = fresh(postgres_url())
            yield lambda: SqlStorage(url)
        else:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            yield lambda: SqlStorage(f"sqlite:///{folder / f'{next(NAMES)}.db'}")


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_the_database_does_what_the_model_does(backend: str, request: pytest.FixtureRequest) -> None:
    with real_storages(backend, lambda: request.getfixturevalue("postgres_url")) as opener:
        machine = type("Machine", (Comparison,), {"open_real": staticmethod(opener)})
        run_state_machine_as_test(machine, settings=settings(max_examples=25, stateful_step_count=30, deadline=None))
