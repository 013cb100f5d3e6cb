"""`make partitions`: a run in a network namespace, a real PostgreSQL in another, and what can go wrong between them.

Not collected by `make test`: it takes minutes, and needs root. tests/partitions/test_proxy.py is its short form.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

import nonstop
from nonstop.storage.sql import SqlStorage
from nonstop.workers.unsent import FOLDER
from tests.helpers.postgres import Server, running_server
from tests.partitions.network import PORT, ROOT, SERVER, WORKERS, Network, a_network
from tests.partitions.verdict import Verdict, judge

LEASE, EVALUATION, HANDS = 2.0, 0.3, 3
#: Seconds of a partition, shorter and longer than the lease.
SHORT, LONG = 0.8, 6.0
#: Longer than the minute for which one call of a storage is retried.
VERY_LONG = 75.0
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
SETTINGS = {"listen_addresses": "*", "port": str(PORT), "max_connections": "40"}


@dataclass
class Place:
    """One scenario: the network, the server, the run and its folder."""

    network: Network
    server: Server
    folder: Path
    storage: SqlStorage
    study: int

    def begin(self, budget: int, workers: int = HANDS, seconds: float = EVALUATION) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "tests.partitions.run", self.network.url, str(self.folder)]
        words += [str(budget), str(workers), str(seconds), str(LEASE)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NONSTOP_SPOOL": str(self.folder / FOLDER)}
        return subprocess.Popen(
            self.network.in_workers(words),
            cwd=ROOT,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def completed(self) -> int:
        return self.storage.counts(self.study).completed

    def until(self, results: int, seconds: float = 120.0) -> None:
        deadline = time.monotonic() + seconds
        while self.completed() < results:
            assert time.monotonic() < deadline, f"waited in vain for {results} results"
            time.sleep(0.1)

    def finish(self, run: subprocess.Popen[str], name: str, seconds: float = 180.0) -> Verdict:
        try:
            _, errors = run.communicate(timeout=seconds)
        finally:
            end(run)
        assert run.returncode == 0, errors
        verdict = judge(self.storage, self.study, self.folder)
        shown = ", ".join(f"{key} {value}" for key, value in verdict.figures.items())
        print(f"\n{name}: {shown}; workers said {len(errors.splitlines())} lines")
        return verdict


def end(run: subprocess.Popen[str]) -> None:
    """The run and its workers: they are a session of their own."""
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    if run.stderr is not None:
        run.stderr.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with a_network(tmp_path) as network, running_server(SETTINGS, network.launcher) as server:
        study = nonstop.create_study(server.url, "demo", space=SPACE, rule="random")
        assert isinstance(study.storage, SqlStorage)
        yield Place(network, server, tmp_path, study.storage, study.id)
        study.storage.close()


@contextmanager
def nothing_passes(place: Place) -> Iterator[None]:
    place.network.lose(SERVER, WORKERS)
    yield
    place.network.heal(SERVER, WORKERS)


@contextmanager
def requests_are_lost(place: Place) -> Iterator[None]:
    place.network.lose(SERVER)
    yield
    place.network.heal(SERVER)


@contextmanager
def answers_are_lost(place: Place) -> Iterator[None]:
    place.network.lose(WORKERS)
    yield
    place.network.heal(WORKERS)


@contextmanager
def the_name_is_lost(place: Place) -> Iterator[None]:
    place.network.find_name(None)
    end_sessions(place.server)
    yield
    place.network.find_name(SERVER)


@contextmanager
def the_server_is_frozen(place: Place) -> Iterator[None]:
    frozen = place.server.processes
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def the_server_is_killed(place: Place) -> Iterator[None]:
    place.server.kill()
    yield
    place.server.start()


@contextmanager
def the_server_is_restarted(place: Place) -> Iterator[None]:
    place.server.stop()
    yield
    place.server.start()


@contextmanager
def everything_is_slow(place: Place) -> Iterator[None]:
    place.network.delay(0.3)
    yield
    place.network.delay(0.0)


@contextmanager
def connections_are_short(place: Place) -> Iterator[None]:
    end_sessions(place.server)
    with ExitStack() as stack:
        while (taken := one_more(place.server)) is not None:
            stack.callback(taken.close)
        yield


def one_more(server: Server) -> psycopg.Connection | None:
    """A connection, as long as there is one."""
    try:
        return psycopg.connect(plain(server))
    except psycopg.OperationalError:
        return None


def plain(server: Server) -> str:
    return server.url.replace("+psycopg", "")


def end_sessions(server: Server) -> None:
    with psycopg.connect(plain(server), autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


FAULTS: tuple[Callable[[Place], object], ...] = (
    nothing_passes,
    requests_are_lost,
    answers_are_lost,
    the_name_is_lost,
    the_server_is_frozen,
    the_server_is_killed,
    the_server_is_restarted,
    everything_is_slow,
    connections_are_short,
)


@pytest.mark.parametrize("seconds", [SHORT, LONG])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_partition_loses_nothing(place: Place, fault: Callable[[Place], object], seconds: float) -> None:
    if fault is everything_is_slow:
        place.network.start_proxy()
    run = place.begin(budget=45)
    try:
        place.until(10)
        with fault(place):  # type: ignore[attr-defined]
            time.sleep(seconds)
    except BaseException:
        end(run)
        raise
    verdict = place.finish(run, f"{fault.__name__} for {seconds:g} s")
    assert verdict.problems == []
    assert verdict.figures["completed"] == 45


def test_a_partition_longer_than_any_patience_loses_nothing(place: Place) -> None:
    run = place.begin(budget=30)
    try:
        place.until(5)
        with nothing_passes(place):
            time.sleep(VERY_LONG)
    except BaseException:
        end(run)
        raise
    verdict = place.finish(run, f"nothing_passes for {VERY_LONG:g} s")
    assert verdict.problems == []


def test_a_run_killed_in_a_partition_loses_nothing(place: Place) -> None:
    run = place.begin(budget=30)
    try:
        place.until(5)
        with nothing_passes(place):
            time.sleep(LONG)
            kept = len(list((place.folder / FOLDER).glob("*.json")))
            end(run)
    except BaseException:
        end(run)
        raise
    assert kept > 0
    end_sessions(place.server)
    verdict = place.finish(place.begin(budget=30), f"killed in a partition, {kept} results kept in files")
    assert verdict.problems == []


def test_more_workers_than_connections_take_turns(tmp_path: Path) -> None:
    settings = {**SETTINGS, "max_connections": "10", "superuser_reserved_connections": "0", "max_wal_senders": "0"}
    with a_network(tmp_path) as network, running_server(settings, network.launcher) as server:
        study = nonstop.create_study(server.url, "demo", space=SPACE, rule="random")
        assert isinstance(study.storage, SqlStorage)
        place = Place(network, server, tmp_path, study.storage, study.id)
        verdict = place.finish(place.begin(budget=120, workers=16, seconds=1.5), "16 workers, 10 connections")
        assert verdict.problems == []
        workers = {trial.worker for trial in study.trials}
        assert len(workers) > 10, "more than have a connection at once"
        study.storage.close()
