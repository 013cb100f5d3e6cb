"""Worker loops on a real Ray cluster, on PostgreSQL."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray

import nonstop
from nonstop.errors import StudyError
from tests.engines.objectives import SPACE, Marking, bowl, check_whole, failing
from tests.helpers.postgres import fresh
from tests.helpers.postgres import postgres_url as postgres_url

# Ray leaves sockets and files to the garbage collector.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def study(postgres_url: str) -> Iterator[nonstop.Study]:
    study = nonstop.create_study(fresh(postgres_url), "demo", space=SPACE)
    yield study
    study.storage.close()


@pytest.mark.usefixtures("cluster")
def test_loops_run_on_the_cluster(study: nonstop.Study) -> None:
    usages = study.optimize(lambda params: bowl(params), n_trials=12, workers=2, engine="ray")
    assert [usage.worker for usage in usages] == ["ray-w0", "ray-w1"]
    check_whole(study, 12)
    assert ray.is_initialized(), "the user's connection stays"
    with pytest.raises(StudyError, match="no luck"):
        study.optimize(failing, n_trials=50, workers=2, engine="ray", max_failures=3)


@pytest.mark.usefixtures("cluster")
def test_the_loss_of_a_cluster_worker_loses_nothing(study: nonstop.Study, tmp_path: Path) -> None:
    def kill_one() -> None:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(int(min(tmp_path.iterdir()).name), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    study.optimize(Marking(tmp_path, 0.3), n_trials=14, workers=2, engine="ray", lease=1.0)
    killer.join()
    check_whole(study, 14)
    assert any(trial.attempt > 1 for trial in study.trials), "what the lost worker held went to another"


@pytest.mark.usefixtures("cluster")
def test_a_run_that_is_stopped_hands_its_trials_back(study: nonstop.Study, tmp_path: Path) -> None:
    def stop(_study: nonstop.Study) -> None:
        if len(list(tmp_path.iterdir())) == 2:
            raise InterruptedError("enough")

    with pytest.raises(InterruptedError):
        study.optimize(Marking(tmp_path, 30.0), n_trials=4, workers=2, engine="ray", progress=stop)
    assert [trial.state for trial in study.trials] == ["waiting"] * 2
