"""The display of a run in a Jupyter notebook: a bar and a line of text below the cell, updated in place.

Plain HTML and IPython's own update of an output: it needs no widgets, and stays in the saved notebook as it was last.
"""

from __future__ import annotations

import html
import sys
from importlib import import_module
from typing import Any

from nonstop.history.board import Board
from nonstop.live.words import leaders, progress, speed
from nonstop.wording import duration

#: Seconds between two updates of the output, which travels to the browser.
_INTERVAL = 0.5


def in_notebook() -> bool:
    """Does this process run in a Jupyter kernel?"""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None


class NotebookLine:
    """One output of a cell. It is replaced whenever there is something new."""

    def __init__(self, title: str, budget: int | None) -> None:
        self._title = title
        self._budget = budget
        self._handle: Any = None
        self._shown = ""
        self._due = 0.0

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Show the board, or replace what was shown before."""
        if elapsed < self._due and not last:
            return
        self._due = elapsed + _INTERVAL
        page, plain = self.render(board, elapsed, now), self.text(board, elapsed, now)
        if page == self._shown:
            return
        self._shown = page
        data = {"text/html": page, "text/plain": plain}
        if self._handle is None:
            self._handle = import_module("IPython.display").display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def text(self, board: Board, elapsed: float, now: float) -> str:
        """All of it as one line of text."""
        said = [progress(board, self._budget), *speed(board, self._budget, now)]
        return f"{self._title}: {', '.join(said)}, in {duration(elapsed)}; {leaders(board.front, board.goals)}"

    def render(self, board: Board, elapsed: float, now: float) -> str:
        """The bar and the text as HTML. Colours are those of the notebook, light or dark."""
        done = min(board.counts.completed, self._budget or 0)
        bar = f'<progress value="{done}" max="{self._budget}" style="width:16em"></progress> ' if self._budget else ""
        left = board.pace(self._budget, now).time_left
        said = ", ".join(filter(None, [progress(board, self._budget), f"in {duration(elapsed)}", left]))
        rest = [words for words in speed(board, self._budget, now) if words != left]
        lines = [
            f"{bar}<b>{html.escape(self._title)}</b> {html.escape(said)}",
            html.escape(leaders(board.front, board.goals)),
            f"<small>{', '.join(rest)}</small>",
        ]
        return f'<div style="font-variant-numeric:tabular-nums">{"<br>".join(lines)}</div>'
