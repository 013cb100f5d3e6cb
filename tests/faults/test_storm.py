"""Workers die and the server falls over; not one acknowledged result may be lost."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from tests.faults.runs import SECONDS, WORKERS, begin, verdict
from tests.helpers.postgres import running_server


def test_workers_are_killed_and_nothing_is_lost(url: str, tmp_path: Path) -> None:
    result = verdict(
        begin(url, tmp_path, "--workers", WORKERS, "--seconds", SECONDS, "--kill", 0.2, 0.5), SECONDS + 120
    )
    assert result.problems == []
    assert result.figures["killed"] >= SECONDS
    assert result.figures["stalled"] + result.figures["killed"] > 10
    assert result.figures["acknowledged results"] > 20


def test_the_server_restarts_and_no_worker_notices(tmp_path: Path) -> None:
    """Once in an orderly way, once by a crash."""
    with running_server() as server:
        storm = begin(server.url, tmp_path, "--workers", 8, "--seconds", 5)
        for how in (signal.SIGINT, signal.SIGQUIT):
            time.sleep(2)
            server.stop(how)
            time.sleep(0.3)
            server.start()
        result = verdict(storm, 120)
    assert result.problems == []
    assert result.figures["crashed"] == 0
    assert result.figures["acknowledged results"] > 20
