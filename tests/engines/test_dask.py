"""Worker loops on a real Dask cluster, on PostgreSQL."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import dask
import distributed
import pytest

import nonstop
from nonstop.errors import StudyError
from tests.engines.objectives import SPACE, Marking, bowl, check_whole, failing
from tests.helpers.postgres import fresh
from tests.helpers.postgres import postgres_url as postgres_url

# Dask leaves sockets to the garbage collector, and warns about ports that are in use.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def study(postgres_url: str) -> Iterator[nonstop.Study]:
    study = nonstop.create_study(fresh(postgres_url), "demo", space=SPACE)
    yield study
    study.storage.close()


def test_loops_run_on_the_cluster_at_an_address(cluster: distributed.LocalCluster, study: nonstop.Study) -> None:
    usages = study.optimize(
        lambda params: bowl(params), n_trials=12, workers=2, engine="dask", address=cluster.scheduler_address
    )
    assert [usage.worker for usage in usages] == ["dask-w0", "dask-w1"]
    check_whole(study, 12)
    with pytest.raises(StudyError, match="no luck"):
        study.optimize(
            failing, n_trials=50, workers=2, engine="dask", address=cluster.scheduler_address, max_failures=3
        )


def test_the_loss_of_a_cluster_worker_loses_nothing(
    cluster: distributed.LocalCluster, study: nonstop.Study, tmp_path: Path
) -> None:
    def kill_one() -> None:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(int(min(tmp_path.iterdir()).name), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    study.optimize(
        Marking(tmp_path, 0.3), n_trials=14, workers=2, engine="dask", address=cluster.scheduler_address, lease=1.0
    )
    killer.join()
    check_whole(study, 14)
    assert any(trial.attempt > 1 for trial in study.trials), "what the lost worker held went to another"


def test_without_an_address_a_cluster_comes_and_goes(study: nonstop.Study) -> None:
    study.optimize(bowl, n_trials=6, workers=2, engine="dask")
    check_whole(study, 6)


def test_no_scheduler_and_no_shared_storage_are_said(study: nonstop.Study) -> None:
    hasty = dask.config.set({"distributed.comm.timeouts.connect": "0.3s"})
    with hasty, pytest.raises(StudyError, match="no Dask scheduler answers"):
        study.optimize(bowl, n_trials=6, engine="dask", address="tcp://127.0.0.1:9")
    with pytest.raises(StudyError, match="in memory"):
        nonstop.create_study(space=SPACE).optimize(bowl, n_trials=6, engine="dask")
