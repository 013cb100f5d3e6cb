"""Finished evaluations while the storage is out of reach: waited for, kept in a file, handed in once."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.errors import OutOfReachError, StorageError
from nonstop.storage.schema import results
from nonstop.storage.sql import SqlStorage
from nonstop.storage.sqlite import driver
from nonstop.trials.messages import Exchange, Report, Request
from nonstop.trials.trial import TrialState
from nonstop.workers import reach
from nonstop.workers.stopping import StopFlag
from nonstop.workers.unsent import FOLDER, Unsent
from nonstop.workers.worker import Task, Terms, Worker

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NONSTOP_SPOOL", raising=False)


@pytest.fixture
def study(tmp_path: Path) -> nonstop.Study:
    return nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", "demo", space=SPACE)


def unsent() -> list[Path]:
    return sorted(Path(FOLDER).glob("*.json"))


def logged(study: nonstop.Study) -> list[str]:
    storage = study.storage
    assert isinstance(storage, SqlStorage)
    return [row.value for row in storage._database.read(lambda connection: connection.execute(results.select()).all())]


def until(condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


class Outage:
    """Takes the place of storage.exchange: hand-ins fail so many times, or until they are let through."""

    def __init__(self, study: nonstop.Study, failures: int = 0, blocked: threading.Event | None = None) -> None:
        self.real = study.storage.exchange
        self.failures = failures
        self.blocked = blocked
        study.storage.exchange = self  # type: ignore[method-assign]

    def __call__(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        if report is not None:
            if self.blocked is not None:
                assert self.blocked.wait(60.0)
            if self.failures > 0:
                self.failures -= 1
                raise OutOfReachError("no answer (tried for 60 s)")
        return self.real(study, cursor, report, request)


def a_worker(study: nonstop.Study, budget: int = 2, stop: StopFlag | None = None, **terms: Any) -> Worker:
    task = Task(study.storage, study.id, study.spec, lambda _: 0.125, Terms(budget, **terms), study._creation)
    return Worker(task, "me", stop)


def test_a_hand_in_is_repeated_for_as_long_as_the_run_lasts(study: nonstop.Study) -> None:
    Outage(study, failures=4)
    usage = a_worker(study).run()
    assert [trial.value for trial in study.trials] == [0.125] * 2
    assert usage.storing >= 3 * reach._PAUSE, "the time of waiting counts as storing"
    assert unsent() == []


def test_it_is_kept_in_a_private_file_until_it_is_handed_in(
    study: nonstop.Study, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "SAY_AFTER", 1.5)
    blocked = threading.Event()
    Outage(study, blocked=blocked)
    worker = threading.Thread(target=a_worker(study, budget=1).run)
    worker.start()
    until(unsent, "the file")
    (path,) = unsent()
    content = json.loads(path.read_text())
    assert (content["study"], content["report"]["value"]) == (study._creation, 0.125)
    assert content["params"] == study.trials[0].params
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    until(lambda: "waiting for it; trial 0 = 0.125 is kept in" in caplog.text, "the line")
    blocked.set()
    worker.join(60.0)
    assert unsent() == []
    assert caplog.messages[-1] == "me: the storage answers again"
    assert len(caplog.messages) == 2
    assert study.best_value == 0.125


def test_when_the_run_is_over_the_error_names_the_file_and_the_next_run_hands_it_in(
    study: nonstop.Study, caplog: pytest.LogCaptureFixture
) -> None:
    outage = Outage(study, failures=99)
    stop = StopFlag()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(OutOfReachError, match=r"trial 0 = 0\.125 could not be handed in.*it is kept in .*json"):
        a_worker(study, stop=stop).run()
    assert len(unsent()) == 1
    assert study.trials[0].state is TrialState.RUNNING, "no one is to evaluate it again"
    outage.failures = 0
    a_worker(study, budget=1).run()
    assert "trial 0 = 0.125 was left by an earlier run, and is handed in" in caplog.text
    assert (unsent(), logged(study), len(study.trials)) == ([], ["0.125"], 1)


def test_trouble_that_stays_keeps_the_result_as_well(study: nonstop.Study) -> None:
    real = study.storage.exchange

    def full(study: int, cursor: int, report: Report | None = None, request: Request | None = None) -> Exchange:
        if report is not None:
            raise StorageError("the disk is full")
        return real(study, cursor, report, request)

    study.storage.exchange = full  # type: ignore[method-assign]
    with pytest.raises(StorageError, match=r"disk is full; it is kept in"):
        a_worker(study).run()
    assert len(unsent()) == 1


def test_what_was_handed_in_before_is_not_counted_twice(study: nonstop.Study) -> None:
    """The process was killed between the answer and the removal of the file."""
    a_worker(study, budget=1).run()
    storage = study.storage
    assert isinstance(storage, SqlStorage)
    (row,) = storage._database.read(lambda connection: connection.execute(results.select()).all())
    report = Report(row.id, 0, 1, TrialState.COMPLETED, 0.125)
    Unsent(study._creation, "").keep(report, study.trials[0].params or {})
    a_worker(study, budget=1).run()
    assert (unsent(), logged(study), study.trials[0].sequence) == ([], ["0.125"], 3)


@pytest.mark.parametrize(
    ("number", "params"), [(7, {"x": 0.5}), (0, {"x": 0.5})], ids=["no such trial", "another point"]
)
def test_what_does_not_fit_stays_and_is_named(
    study: nonstop.Study, caplog: pytest.LogCaptureFixture, number: int, params: dict[str, float]
) -> None:
    study.ask()
    Unsent(study._creation, "").keep(Report("a", number, 1, TrialState.COMPLETED, 3.0), params)
    a_worker(study, budget=0).run()
    assert f"trial {number} = 3.0 of {unsent()[0].absolute()} cannot be handed in, and stays" in caplog.text
    assert study.trials[0].state is TrialState.RUNNING


def test_results_of_another_study_are_left_alone(study: nonstop.Study, caplog: pytest.LogCaptureFixture) -> None:
    other = nonstop.create_study(study.storage, "other", space=SPACE)
    trial = other.ask()
    Unsent(other._creation, "").keep(Report("a", 0, 1, TrialState.COMPLETED, 3.0), trial.params or {})
    a_worker(study).run()
    assert len(unsent()) == 1
    assert caplog.text == ""
    a_worker(other, budget=1).run()
    assert (unsent(), other.best_value) == ([], 3.0)


def test_a_damaged_file_stays_and_is_named(study: nonstop.Study, caplog: pytest.LogCaptureFixture) -> None:
    Path(FOLDER).mkdir()
    for name, content in {"a": "{", "b": "{}", "c": "[1]", "d": '{"study": 1}'}.items():
        (Path(FOLDER) / f"{name}.json").write_text(content)
    a_worker(study).run()
    assert len(unsent()) == 4
    assert caplog.text.count("is no result that nonstop can read, and stays") == 3  # d belongs to another study


def test_a_folder_of_ones_own(study: nonstop.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NONSTOP_SPOOL", str(tmp_path / "elsewhere" / "deep"))
    trial = study.ask()
    kept = Unsent(study._creation, "").keep(Report("a", 0, 1, TrialState.COMPLETED, 3.0), trial.params or {})
    assert kept == tmp_path / "elsewhere" / "deep" / "a.json"
    a_worker(study, budget=1).run()
    assert not kept.exists()
    assert study.best_value == 3.0


def test_a_folder_that_cannot_be_written_is_said(
    study: nonstop.Study, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NONSTOP_SPOOL", "/proc/nowhere")
    assert Unsent(study._creation, "").keep(Report("a", 0, 1, TrialState.COMPLETED, 3.0), {}) is None
    assert "trial 0 = 3.0 cannot be kept in /proc/nowhere" in caplog.text


RUN = """
import sys, time
import nonstop

def objective(params):
    open("evaluated", "a").write("x")
    while not __import__("os").path.exists("go"):
        time.sleep(0.01)
    return 0.125

if __name__ == "__main__":
    nonstop.load_study(sys.argv[1], "demo").optimize(objective, n_trials=1, workers=int(sys.argv[2]), lease=2.0)
"""


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGKILL, 1), (signal.SIGINT, 1), (signal.SIGTERM, 2)])
def test_the_end_of_a_run_in_the_middle_of_an_outage_loses_nothing(
    study: nonstop.Study, tmp_path: Path, number: signal.Signals, workers: int
) -> None:
    """The file of the study is locked when the evaluation ends."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    (tmp_path / "run.py").write_text(RUN)
    words = [sys.executable, str(tmp_path / "run.py"), url, str(workers)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    run = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    until(Path("evaluated").exists, "the evaluation")
    blocker = driver().connect(tmp_path / "runs.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    Path("go").touch()
    until(unsent, "the file")
    asked = time.monotonic()
    run.send_signal(number)
    _, errors = run.communicate(timeout=60.0)
    assert time.monotonic() - asked < 30.0, f"the wait is interrupted; {errors}"
    blocker.close()
    assert study.trials[0].value is None
    subprocess.run(words, env=environment, check=True, timeout=60.0)
    assert (unsent(), logged(study)) == ([], ["0.125"])
    assert Path("evaluated").read_text() == "x", "it was not evaluated again"


def test_messages_reach_a_user_without_any_setup() -> None:
    assert logging.getLogger("nonstop").getEffectiveLevel() <= logging.WARNING
