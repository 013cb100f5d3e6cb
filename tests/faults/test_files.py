"""What happens to an SQLite file when the disk is full, the file is cut, or the clock jumps."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from nonstop.errors import StorageError
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage
from nonstop.storage.sql import SqlStorage
from nonstop.trials.trial import TrialState
from tests.faults.diary import Diary, read_all
from tests.helpers.clocks import JumpingClock
from tests.helpers.storages import inserted


def fill(storage: Storage, study: int, diary: Diary, most: int) -> None:
    """Insert fat trials, noting each that was acknowledged, until the storage refuses."""
    for number in range(most):
        trial = inserted(storage, study, {"x": float(number), "fat": "x" * 2_000}, float(number), f"insert {number}")
        diary.write("trial", trial.number, trial.value)


def check_kept(url: str, study: int, folder: Path, least: int) -> None:
    """Everything acknowledged is there, and the file works again."""
    storage = open_storage(url)
    values = {trial.number: trial.value for trial in storage.exchange(study, 0).changes}
    noted = [(number, value) for kind, number, value in read_all(folder) if kind == "trial"]
    assert len(noted) >= least
    assert all(values[number] == value for number, value in noted)
    assert len(values) - len(noted) in (0, 1)
    assert inserted(storage, study, {"x": 0.5}, 1.0, "after").number == len(values)
    storage.close()


@pytest.fixture
def studied(tmp_path: Path) -> tuple[str, int]:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    storage = open_storage(url)
    study = storage.create_study("demo", {}).id
    storage.close()
    return url, study


def test_a_full_disk_is_said_and_loses_nothing(studied: tuple[str, int], tmp_path: Path) -> None:
    url, study = studied
    storage = SqlStorage(url)
    storage._database.read(lambda connection: connection.exec_driver_sql("PRAGMA max_page_count = 80").all())
    with pytest.raises(StorageError, match=r"full; the disk is full, nothing was written: make room"):
        fill(storage, study, Diary(tmp_path / "a.diary"), 10_000)
    assert storage.exchange(study, 0).version > 10
    storage.close()
    check_kept(url, study, tmp_path, least=10)


def in_a_limited_process(work: Callable[[], None], largest_file: int) -> int:
    """Run work where no file may grow beyond a size, and return the exit status; Python ignores the signal for it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_file_that_may_not_grow_is_said_and_loses_nothing(studied: tuple[str, int], tmp_path: Path) -> None:
    url, study = studied

    def work() -> None:
        storage = open_storage(url)
        with pytest.raises(StorageError, match="nothing was written: make room"):
            fill(storage, study, Diary(tmp_path / "a.diary"), 10_000)

    assert in_a_limited_process(work, 600_000) == 0
    check_kept(url, study, tmp_path, least=10)


def test_a_file_cut_in_half_is_refused_with_a_remedy(studied: tuple[str, int], tmp_path: Path) -> None:
    url, study = studied
    storage = open_storage(url)
    fill(storage, study, Diary(tmp_path / "a.diary"), 100)
    storage.close()
    path = tmp_path / "runs.db"
    for size in (path.stat().st_size // 2, 5_000, 300):
        os.truncate(path, size)
        with pytest.raises(StorageError, match=r"damaged: restore a backup|not an SQLite file"):
            open_storage(url)
    assert path.stat().st_size == 300


def test_a_file_deleted_under_a_running_study_is_not_written_into_the_void(
    studied: tuple[str, int], tmp_path: Path
) -> None:
    url, study = studied
    storage = open_storage(url)
    inserted(storage, study, {}, 1.0, "before")
    (tmp_path / "runs.db").rename(tmp_path / "moved.db")
    with pytest.raises(StorageError, match="moved or deleted"):
        inserted(storage, study, {}, 2.0, "after")
    storage.close()


def test_clock_jumps_change_no_order(url: str) -> None:
    storage = SqlStorage(url, JumpingClock())
    study = storage.create_study("demo", {}).id
    for number in range(20):
        inserted(storage, study, {"x": float(number)}, float(number), f"insert {number}")
    trials = storage.exchange(study, 0).changes
    assert [trial.order for trial in trials] == [trial.sequence for trial in trials] == list(range(1, 21))
    assert all(trial.state is TrialState.COMPLETED for trial in trials)
    storage.close()
