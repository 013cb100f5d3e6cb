"""The cost of storage operations in a study of 100,000 trials on SQLite.

python benchmarks/storage.py [--trials 100000] [--repeat 1000] > benchmarks/results/storage.md
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import insert, update

from nonstop.storage.rows import checksum, to_columns
from nonstop.storage.schema import studies, trials
from nonstop.storage.sql import SqlStorage
from nonstop.storage.sqlite import driver
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.messages import Report, Request, Start
from nonstop.trials.trial import Trial, TrialState

DIAGNOSTICS = Diagnostics(
    rung="model",
    acquisition=-1.25,
    mean=0.75,
    sd=0.125,
    nearest_busy=0.3,
    seconds=0.0123,
    busy=(1, 2, 3, 4, 5, 6, 7),
    warm=7,
    cursor=1000,
    hyperparameters=Hyperparameters(tuple(0.1 + i / 7 for i in range(6)), 1e-6, 100),
)


def fill(storage: SqlStorage, study: int, count: int) -> None:
    """Write finished trials in bulk: one transaction instead of three for each."""
    rows = []
    for number in range(count):
        params = {f"x{i}": (number * (i + 3) % 9973) / 9973 for i in range(6)}
        trial = Trial(number, TrialState.COMPLETED, params, number / 7, number, number + 1, diagnostics=DIAGNOSTICS)
        columns = to_columns(trial) | {"sequence": number + 1, "study_id": study, "request_id": f"bulk {number}"}
        rows.append(columns | {"checksum": checksum(columns)})
    counters = update(studies).where(studies.c.id == study).values(sequence=count, completed=count)
    storage._database.write(lambda connection: (connection.execute(insert(trials), rows), connection.execute(counters)))


class Stopwatch:
    """Seconds by the name of what was measured."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    @contextmanager
    def time(self, what: str) -> Iterator[None]:
        """Measure the body of a with statement."""
        start = time.perf_counter()
        yield
        self.seconds.setdefault(what, []).append(time.perf_counter() - start)

    def line(self, what: str) -> str:
        """A row of the table: count, median, 99th percentile and worst, in milliseconds."""
        seconds = sorted(self.seconds[what])
        shown = [1e3 * seconds[min(len(seconds) - 1, int(share * len(seconds)))] for share in (0.5, 0.99, 1.0)]
        return f"| {what} | {len(seconds)} | " + " | ".join(f"{value:.2f}" for value in shown) + " |"


def live(worker: SqlStorage, reader: SqlStorage, study: int, repeat: int, watch: Stopwatch) -> None:
    """The storage calls of one worker, and those of a reader after each of them."""
    cursor = seen = worker.exchange(study, 10**9).cursor
    report = None
    for turn in range(repeat):
        with watch.time("exchange: tell, ask and read"):
            answer = worker.exchange(study, cursor, report, Request(f"turn {turn}", "worker"))
        trial = answer.trial
        assert trial is not None
        params = {f"x{i}": (turn * (i + 1) % 1009) / 1009 for i in range(6)}
        with watch.time("start: record the proposal and read"):
            start = Start(trial.number, trial.attempt, params, turn, DIAGNOSTICS)
            answer = worker.start(study, start, answer.cursor)
        cursor = answer.cursor
        with watch.time("sync: read what is new (1 or 2 rows)"):
            seen = reader.exchange(study, seen).cursor
        with watch.time("beat"):
            worker.beat(study, [(trial.number, trial.attempt)])
        report = Report(f"turn {turn}", trial.number, trial.attempt, TrialState.COMPLETED, float(turn))


def repeated(watch: Stopwatch, what: str, times: int, work: Callable[[], object]) -> None:
    """Measure `work` several times."""
    for _ in range(times):
        with watch.time(what):
            work()


def raw_commit(folder: Path, watch: Stopwatch, repeat: int) -> None:
    """The cost of one durable commit on this disk, a lower bound for every storage with synchronous=FULL."""
    connection = driver().connect(folder / "raw.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode=TRUNCATE", "PRAGMA synchronous=FULL", "CREATE TABLE t (v)"):
        connection.execute(statement)
    for _ in range(repeat):
        with watch.time("for comparison: sqlite3 alone, one row, one commit"):
            for statement in ("BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)", "COMMIT"):
                connection.execute(statement)
    connection.close()


def open_and_read(url: str, study: int) -> None:
    """Open the storage and read the whole study."""
    storage = SqlStorage(url)
    storage.exchange(study, 0)
    storage.close()


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=1_000)
    arguments = parser.parse_args()
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/runs.db"
        worker, reader = SqlStorage(url), SqlStorage(url)
        study = worker.create_study("benchmark", {}).id
        fill(worker, study, arguments.trials)
        size = (Path(folder) / "runs.db").stat().st_size / 1e6
        repeated(watch, "open the study and read all of it", 5, lambda: open_and_read(url, study))
        live(worker, reader, study, arguments.repeat, watch)
        raw_commit(Path(folder), watch, arguments.repeat)
        worker.close()
        reader.close()
    print(f"# Storage: SQLite with {arguments.trials:,} trials\n")
    print("Made by `python benchmarks/storage.py`. Milliseconds of wall time, one worker process; every write includes")
    print(f"the fsync of its commit on this disk. File: {size:.0f} MB.")
    # On a machine that others use too, `chrt -f 10 python …` excludes that load from the figures; the page says so.
    priority = "real-time priority, " if os.sched_getscheduler(0) == os.SCHED_FIFO else ""
    load = os.getloadavg()[0]
    print(f"{platform.platform()}, {os.cpu_count()} cores, load average {load:.1f}, {priority}", end="")
    print(f"Python {platform.python_version()}, SQLite {driver().sqlite_version}.\n")
    print("| what | times | median | p99 | worst |\n|---|---|---|---|---|")
    print("\n".join(watch.line(what) for what in watch.seconds))


if __name__ == "__main__":
    main()
