"""The demo runs, on a small budget, and says what it promises to say."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", [str(DEMO), *arguments])
    runpy.run_path(str(DEMO), run_name="__main__")


def test_the_demo_prints_the_best_point_its_regret_and_the_latency(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--budget", "30", "--workers", "4")
    said = capsys.readouterr().out
    assert re.search(r"^  10/30 .*\n  20/30 .*\n  30/30 .* regret \d\.\de[+-]\d\d$", said, re.MULTILINE)
    assert re.search(r"best point   \((0\.\d{4}|1\.0000)(, (0\.\d{4}|1\.0000)){5}\)", said)
    assert re.search(r"best value   -\d\.\d{6}, regret \d\.\de[+-]\d\d", said)
    assert re.search(r"suggestions  \d+ ms each", said)
    assert "next: make demo" in said


def test_a_terminal_sees_one_line_that_rewrites_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    run(monkeypatch, "--budget", "5", "--workers", "8", "--rule", "random")
    progress = next(line for line in capsys.readouterr().out.split("\n") if "5/5" in line)
    assert progress.count("\r") == 5
