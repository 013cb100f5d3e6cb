"""`NonstopGenerator` in Xopt, which needs torch: `make test-peers` has it."""

from __future__ import annotations

import re
import runpy
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

xopt = pytest.importorskip("xopt", reason="`make test-peers` has it")
pytestmark = pytest.mark.filterwarnings("default")  # those of torch, botorch and Xopt

from gest_api.vocs import VOCS  # noqa: E402
from xopt.stopping_conditions import MaxEvaluationsCondition  # noqa: E402

from nonstop.integrations.gest import NonstopGenerator  # noqa: E402
from tests.helpers.commands import ROOT  # noqa: E402


def simulate(point: dict[str, Any]) -> dict[str, float]:
    if point["x"] > 0.95:
        raise ValueError("this does not work")
    time.sleep(0.05 * point["x"])
    return {"f": (point["x"] - 0.3) ** 2, "c": point["x"]}


def vocs() -> VOCS:
    return VOCS(variables={"x": [0.0, 1.0]}, objectives={"f": "MINIMIZE"}, constraints={"c": ["GREATER_THAN", 0.5]})


def an_xopt(**given: Any) -> Any:
    return xopt.Xopt(
        generator=NonstopGenerator(vocs(), seed=1),
        evaluator=xopt.Evaluator(function=simulate),
        stopping_condition=MaxEvaluationsCondition(max_evaluations=14),
        strict=False,
        **given,
    )


def test_data_of_ones_own_then_a_run(tmp_path: Path) -> None:
    optimisation = an_xopt(xopt_dump_file=str(tmp_path / "xopt.yaml"))
    optimisation.random_evaluate(3, seed=0)
    optimisation.run()
    assert len(optimisation.data) == 14
    study = optimisation.generator.study
    assert len(study.trials) == 14
    assert study.best_params["x"] == pytest.approx(0.5, abs=0.02)
    assert "nonstop" in (tmp_path / "xopt.yaml").read_text()


def test_what_failed_is_a_failure() -> None:
    optimisation = an_xopt()
    optimisation.evaluate_data([{"x": 0.99}, {"x": 0.6}])
    assert [trial.state.value for trial in optimisation.generator.study.trials] == ["failed", "completed"]


def test_data_that_are_removed_are_forgotten() -> None:
    optimisation = an_xopt()
    for _ in range(4):
        optimisation.step()
    optimisation.remove_data([0, 1])
    assert len(optimisation.generator.study.trials) == 2
    optimisation.step()
    optimisation.reset_data()
    assert len(optimisation.generator.study.trials) == 0


def test_data_that_are_given_are_learned() -> None:
    first = an_xopt()
    first.random_evaluate(5, seed=1)
    second = an_xopt(data=first.data)
    assert len(second.generator.study.trials) == 5


def test_the_asynchronous_form() -> None:
    with ThreadPoolExecutor(3) as executor:
        evaluator = xopt.Evaluator(function=simulate, executor=executor, max_workers=3)
        optimisation = xopt.AsynchronousXopt(generator=NonstopGenerator(vocs()), evaluator=evaluator, strict=False)
        for _ in range(8):
            optimisation.step()
    trials = optimisation.generator.study.trials
    states = [trial.state.value for trial in trials]
    assert 8 <= len(optimisation.data) == states.count("completed") + states.count("failed")
    assert any(trial.diagnostics is not None and trial.diagnostics.busy for trial in trials)


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["with_xopt.py", "16", "3"])
    runpy.run_path(str(ROOT / "examples" / "gest" / "with_xopt.py"), run_name="__main__")
    evaluated, best = re.findall(r"[\d.]+", capsys.readouterr().out)[:2]
    assert int(evaluated) >= 16
    assert float(best) == pytest.approx(0.04, abs=0.01)  # at x = 0.5, on the bound
