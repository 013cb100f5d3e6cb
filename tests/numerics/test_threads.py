"""How many threads: one for a proposal, a fair share for a worker's objective."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from threadpoolctl import ThreadpoolController

import nonstop
from nonstop.numerics.threads import limit_threads, processors, shared_by
from nonstop.types import Value

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


def blas() -> set[int]:
    return {library["num_threads"] for library in ThreadpoolController().select(user_api="blas").info()}


def test_a_limit_holds_inside_and_only_there() -> None:
    with ThreadpoolController().limit(limits=2):
        with limit_threads(1):
            assert blas() == {1}
            with limit_threads(2):  # whoever is inside already decides
                assert blas() == {1}
        assert blas() == {2}
        with limit_threads(None):
            assert blas() == {2}


def test_a_limit_that_holds_already_is_left_alone() -> None:
    with ThreadpoolController().limit(limits=1):
        with limit_threads(1), limit_threads(1):
            assert blas() == {1}
        assert blas() == {1}


def test_who_starts_inside_is_told_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop.numerics.threads.processors", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "5")
    with shared_by(3):
        assert os.environ["OMP_NUM_THREADS"] == "2"
        assert os.environ["MKL_NUM_THREADS"] == "5"  # the user has spoken
    assert "OMP_NUM_THREADS" not in os.environ
    with shared_by(100):
        assert os.environ["OMP_NUM_THREADS"] == "1"


def told(_params: dict[str, Value]) -> float:
    return float(os.environ.get("OMP_NUM_THREADS", "0"))


def test_worker_processes_share_the_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    study = nonstop.create_study(f"sqlite:///{tmp_path}/runs.db", space=SPACE)
    study.optimize(told, n_trials=4, workers=2)
    assert {trial.value for trial in study.trials} == {float(max(1, processors() // 2))}
