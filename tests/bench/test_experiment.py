"""Many cases, one file: resumed after a kill, extended, and spread over processes, Dask and Ray."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import distributed
import pytest
import ray

from nonstop_bench import experiment
from nonstop_bench.case import NAMES, Case
from nonstop_bench.records import append, read
from tests.bench.made import record

CASES = [Case("branin", rule="random", q=2, seed=seed, horizon=2.0) for seed in range(3)]
#: Enough runs to be killed in the middle of them.
COMMAND = (sys.executable, "-m", "nonstop_bench.cli", "run", "small", "--rules=ucb,random", "--seeds=8", "--workers=2")
RUNS = 16
#: The same cases as above, by another process, on the Ray cluster at an address.
ELSEWHERE = """
import sys
from pathlib import Path
from nonstop_bench.case import Case
from nonstop_bench.experiment import perform

cases = [Case("branin", rule="random", q=2, seed=seed, horizon=2.0) for seed in range(3)]
list(perform(cases, Path(sys.argv[2]), engine="ray", address=sys.argv[1]))
"""


def contents(path: Path) -> dict[str, object]:
    """The runs of a file by their case, without what differs from run to run; no case is there twice."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    by_case: dict[str, object] = {
        json.dumps([line[name] for name in NAMES]): {**line, "seconds": None, "took": None} for line in lines
    }
    assert len(by_case) == len(lines)
    return by_case


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def in_group(group: int) -> list[int]:
    """The processes of a group that live."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has just ended
            continue
        if int(pgrp) == group and state != "Z":
            found.append(int(stat.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes where Linux lists them")
def test_a_killed_experiment_resumes_and_leaves_no_process_behind(tmp_path: Path) -> None:
    path = tmp_path / "killed/small.jsonl"
    process = subprocess.Popen(
        [*COMMAND, "--results", path.parent],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: lines_in(path) >= 2)
        assert len(in_group(process.pid)) >= 3
        process.send_signal(signal.SIGKILL)  # it alone: its workers have to notice
        process.wait()
        wait_until(lambda: not in_group(process.pid), 20.0)
    finally:
        if in_group(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
    before = path.read_bytes()
    path.write_bytes(before + before[:100])  # as if the kill had come in the middle of a line
    assert 2 <= len(read(path)) < RUNS

    subprocess.run([*COMMAND, "--results", path.parent], check=True, capture_output=True)
    assert path.read_bytes().startswith(before), "what was finished stayed as it was"
    subprocess.run([*COMMAND, "--results", tmp_path / "whole"], check=True, capture_output=True)
    assert len(contents(path)) == RUNS
    assert contents(path) == contents(tmp_path / "whole/small.jsonl")


def test_only_what_is_missing_runs(tmp_path: Path) -> None:
    path = tmp_path / "folder/x.jsonl"
    assert experiment.missing(CASES, path) == CASES
    handed_out = []
    for run in experiment.perform(CASES[1:2], path, workers=1):
        assert lines_in(path) == 1, "in the file before it is handed out"
        handed_out.append(run.case)
    assert handed_out == CASES[1:2]
    assert experiment.missing(CASES, path) == [CASES[0], CASES[2]]
    first = path.read_bytes()
    more = {run.case for run in experiment.perform(CASES, path, workers=2)}
    assert more == {CASES[0], CASES[2]}
    assert path.read_bytes().startswith(first)
    assert {run.case for run in read(path)} == set(CASES)
    assert list(experiment.perform(CASES, path)) == []


def test_any_part_of_the_case_makes_it_another(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    case = CASES[0]
    append(path, record(case, value=[1.0]))
    assert experiment.missing([case], path) == []
    changed: dict[str, object] = {
        "problem": "ackley-2",
        "rule": "ucb",
        "q": 3,
        "seed": 7,
        "horizon": 3.0,
        "evaluations": 9,
        "mode": "synchronous",
        "duration": "constant",
        "overhead": "measured",
        "failure_rate": 0.1,
        "noise": 0.1,
        "surrogate": "default",
        "optimizer": "smac",
        "guard": False,
        "switches": "flat",
        "window": 3,
    }
    assert set(changed) == set(NAMES)
    others = [replace(case, **{name: value}) for name, value in changed.items()]  # type: ignore[arg-type]
    assert experiment.missing(others, path) == others


def test_a_run_of_an_unknown_commit_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    append(path, replace(record(CASES[0], value=[1.0]), commit=None, clean=None))
    append(path, record(CASES[1], value=[1.0]))
    assert experiment.missing(CASES, path) == [CASES[0], CASES[2]]


def test_nothing_missing_starts_no_cluster(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    append(path, record(CASES[0], value=[1.0]))
    for engine in ("dask", "ray"):
        assert list(experiment.perform(CASES[:1], path, engine=engine, address="tcp://127.0.0.1:9")) == []


def test_an_error_of_a_run_is_said_and_what_was_finished_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    wrong = replace(CASES[0], problem="no-such-task")
    with pytest.raises(ValueError, match="no-such-task"):
        list(experiment.perform([CASES[0], wrong], path, workers=1))
    assert [run.case for run in read(path)] == CASES[:1]


def test_an_unknown_engine_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="engine must be 'local', 'dask' or 'ray', not 'slurm'"):
        list(experiment.perform(CASES, tmp_path / "x.jsonl", engine="slurm"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("local") / "x.jsonl"
    list(experiment.perform(CASES, path, workers=1))
    return contents(path)


@pytest.fixture(scope="module")
def dask_address() -> Iterator[str]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


# Both leave sockets and files to the garbage collector.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("own", [True, False], ids=["of-its-own", "at-an-address"])
def test_dask(own: bool, dask_address: str, expected: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    found = experiment.perform(CASES, path, engine="dask", workers=1, address=None if own else dask_address)
    assert {run.case for run in found} == set(CASES)
    assert contents(path) == expected


@pytest.mark.filterwarnings("ignore")
def test_ray_with_a_cluster_of_its_own(expected: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert {run.case for run in experiment.perform(CASES, path, engine="ray", workers=2)} == set(CASES)
    assert contents(path) == expected
    assert not ray.is_initialized()


@pytest.mark.filterwarnings("ignore")
def test_ray_on_a_cluster_that_is_there(expected: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    cluster = ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        list(experiment.perform(CASES[:1], path, engine="ray"))
        assert ray.is_initialized(), "the user's connection stays"
        address = cluster.address_info["address"]
        subprocess.run([sys.executable, "-c", ELSEWHERE, address, path], check=True, capture_output=True)
    finally:
        ray.shutdown()
    assert contents(path) == expected
