"""The short form of `make partitions`: a proxy on the loopback interface between workers and a real PostgreSQL."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

import nonstop
from nonstop.storage.retry import Patience
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Request
from nonstop.trials.trial import TrialState
from nonstop.workers.lease import Heart, Heartbeat, Lease
from tests.helpers.postgres import running_server
from tests.partitions.proxy import Proxy

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
#: Generous: what is tested would otherwise last for ever.
SOON = 60.0


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of a PostgreSQL on the loopback interface."""
    taken = Proxy(("127.0.0.1", 1))
    taken.close()
    with running_server({"listen_addresses": "127.0.0.1", "port": str(taken.port)}):
        yield taken.port


@pytest.fixture
def proxy(port: int) -> Iterator[Proxy]:
    proxy = Proxy(("127.0.0.1", port))
    yield proxy
    proxy.close()


def a_study(proxy: Proxy, name: str) -> nonstop.Study:
    url = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
    return nonstop.create_study(SqlStorage(url, patience=Patience(deadline=1.0)), name, space=SPACE, rule="random")


def test_a_dead_workers_trial_is_handed_on_over_a_slow_line(proxy: Proxy) -> None:
    """Each look at the heartbeats takes longer than half the lease."""
    study = a_study(proxy, "slow")
    granted = study.storage.exchange(study.id, 0, request=Request("dead", "dead")).trial
    assert granted is not None
    proxy.delay = 0.05
    began = time.monotonic()
    heart = Heart(study.storage, study.id, Lease(0.4))
    with Heartbeat(lambda: heart.beat([]), Lease(0.4)):
        while study.storage.exchange(study.id, 0).changes[0].state is not TrialState.WAITING:
            assert time.monotonic() - began < SOON, "never handed on"
            time.sleep(0.1)
    study.storage.close()


def test_a_result_outlasts_a_partition_longer_than_the_patience_of_the_storage(proxy: Proxy) -> None:
    study = a_study(proxy, "parted")
    finished: list[float] = []

    def objective(_params: object) -> float:
        if len(finished) == 2:
            proxy.dropping = True
            threading.Timer(4.0, lambda: setattr(proxy, "dropping", False)).start()
        finished.append(float(len(finished)))
        return finished[-1]

    usage = study.optimize(objective, n_trials=4)
    assert [trial.value for trial in study.trials] == finished == [0.0, 1.0, 2.0, 3.0]
    assert usage[0].storing > 3.0
    study.storage.close()
