"""What optimize() shows by itself: in a terminal, in a notebook, and nowhere else unless it is asked to."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import types
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from rich.console import Console

import nonstop
from nonstop.history.board import Board
from nonstop.live.notebook import NotebookLine, in_notebook
from nonstop.live.panel import Line, Panel
from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.goals import MINIMIZE

X = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
SCRIPT = """
import time, nonstop
study = nonstop.create_study(space=nonstop.Space({"x": nonstop.Float(0, 1)}), name="demo", seed=0)
def objective(params):
    print("at work")
    time.sleep(0.1)
    return params["x"]
study.optimize(objective, n_trials=5%s)
print("best", study.best_value)
"""


def a_board(completed: int = 12, workers: int = 2) -> Board:
    """A study under way: a minute for each evaluation."""
    done = [
        Trial(
            i,
            TrialState.COMPLETED,
            params={"x": 0.5},
            value=1.0 + i,
            order=i + 1,
            worker=f"w{i % workers}",
            asked_at=60.0 * (i // workers),
            started_at=60.0 * (i // workers),
            finished_at=60.0 * (i // workers + 1),
            seconds=60.0,
            sequence=i + 1,
        )
        for i in range(completed)
    ]
    end = 60.0 * (completed // workers)
    running = [
        replace(
            done[0],
            number=100 + i,
            state=TrialState.RUNNING,
            value=None,
            order=None,
            worker=f"w{i}",
            asked_at=end,
            started_at=end,
            finished_at=None,
            seconds=None,
            sequence=100 + i,
        )
        for i in range(workers)
    ]
    board = Board(MINIMIZE)
    board.apply(Exchange((*done, *running), 200, completed, Counts(completed=completed, running=workers)))
    return board


def drawn(what: Line | Panel, width: int = 120, **more: Any) -> str:
    console = Console(file=io.StringIO(), width=width, record=True)
    console.print(what.render(a_board(), 360.0, 360.0, **more))
    return console.export_text()


def test_the_line() -> None:
    console = Console(file=io.StringIO(), width=120)
    said = "12 of 48 done (25 %), about 18 min left, best 1, 2 running, 0 failed, "
    assert re.fullmatch(rf"━+╸? +{re.escape(said)}100.0 % of the time evaluati…\n", drawn(Line(console, 48)))
    wide = drawn(Line(console, 48), width=200).rstrip()
    assert wide.endswith(f"{said}100.0 % of the time evaluating, 2 results a minute")
    assert "12 of 48 done (25 %), in 6m 00s, best 1, " in drawn(Line(console, 48), width=200, last=True)
    assert drawn(Line(console, 48), width=40).count("\n") == 1, "one line, however narrow the terminal is"
    assert "━" not in drawn(Line(console, None))


def test_the_panel_has_the_rate_and_the_time_left() -> None:
    head = drawn(Panel(Console(file=io.StringIO()), "demo", 48)).splitlines()[0]
    assert "about 18 min left, 2 results a minute, 100.0 % of the time evaluating" in head


@dataclass
class Handle:
    """What IPython's display() returns."""

    shown: list[dict[str, str]] = field(default_factory=list)

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(data)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """A process that looks like a Jupyter kernel."""
    handle = Handle()

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert display_id
        handle.update(data, raw)
        return handle

    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    shell = types.SimpleNamespace(kernel=object())
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return handle


def test_a_notebook_has_one_output_that_is_replaced(notebook: Handle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    study = nonstop.create_study(space=X, name="<b>demo</b>", seed=0)
    study.optimize(lambda params: float(str(params["x"])), n_trials=5)
    last = notebook.shown[-1]
    assert '<progress value="5" max="5"' in last["text/html"]
    assert "&lt;b&gt;demo&lt;/b&gt;" in last["text/html"], "names are text"
    assert last["text/plain"].startswith("<b>demo</b>: 5 of 5 done (100 %), 0 running, 0 failed")
    assert in_notebook()
    before = len(notebook.shown)
    study.optimize(lambda params: float(str(params["x"])), n_trials=6, progress=False)
    assert len(notebook.shown) == before, "quiet on request"


def test_a_notebook_is_not_told_more_than_twice_a_second(notebook: Handle) -> None:
    line, board = NotebookLine("demo", 48), a_board()
    for tenths in range(20):
        line.show(board, tenths / 10, 360.0)
    assert len(notebook.shown) == 4
    line.show(board, 1.95, 360.0, last=True)
    assert len(notebook.shown) == 5


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    package = types.ModuleType("IPython")
    package.get_ipython = types.SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    assert not in_notebook()


def in_a_script(more: str, terminal: bool, **environment: str) -> tuple[str, str]:
    """What a script prints on stdout and on stderr, which is a terminal or not."""
    clean = {key: value for key, value in os.environ.items() if key not in ("CI", "PYTEST_CURRENT_TEST")}
    given = {**clean, "TERM": "xterm", "COLUMNS": "200", **environment}
    outer, inner = pty.openpty() if terminal else os.pipe()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT % more], stdout=subprocess.PIPE, stderr=inner, env=given, check=True, text=True
    )
    os.close(inner)
    said = b""
    try:
        while chunk := os.read(outer, 65536):
            said += chunk
    except OSError:  # Linux says so when the other end of a terminal is closed
        pass
    os.close(outer)
    return done.stdout, said.decode()


def test_a_terminal_shows_a_line_that_stays() -> None:
    out, err = in_a_script("", terminal=True)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err)
    assert re.search(r"5 of 5 done \(100 %\), in \S+ s, best 0\S*, 0 running, 0 failed", plain.splitlines()[-1])
    assert out.count("at work\n") == 5, "what a program prints into a file stays there"
    assert "at work" not in plain


def test_nothing_is_shown_where_nobody_looks() -> None:
    assert in_a_script("", terminal=False)[1] == ""
    assert in_a_script("", terminal=True, CI="true")[1] == ""
    assert in_a_script(", progress=False", terminal=True)[1] == ""


def test_lines_are_written_where_they_are_asked_for() -> None:
    _, err = in_a_script(", progress=True", terminal=False)
    assert re.search(r"^\[ *[\d.]+ s\] best 0\.\d+ at trial \d: x=0\.\d+$", err, re.MULTILINE)
    assert "5 of 5 done (100 %)" in err.splitlines()[-1]


def test_warnings_are_printed_without_any_configuration_and_information_is_not() -> None:
    _, err = in_a_script(")\nstudy.optimize(objective, n_trials=5", terminal=False)
    assert err == (
        "study 'demo' has 5 of 5 results: nothing to do; n_trials is the total over all runs; n_trials=10 adds 5\n"
    )
