"""The best value so far, over results and over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonstop.history.progress import Trace
from nonstop.history.scale import evenly
from nonstop.history.window import Window, everything
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import (
    BLUE,
    GREY,
    INFEASIBLE,
    NO_REASON,
    NOTHING,
    ORANGE,
    RED,
    about,
    bounded_by,
    empty,
    hover,
    styled,
    word,
)
from nonstop.plots.values import beyond_note, noted, switched, value_axis
from nonstop.plots.words import escaped, label
from nonstop.types import Array
from nonstop.wording import scalar

MOST, MOST_FAILED = 2000, 300  # points to draw of each kind


def trace(record: Trace) -> go.Figure:
    """All results and the best so far, over the number of results and over time."""
    if record.window is None:
        count = len(record.failed)
        return empty(NOTHING if not count else f"{NOTHING}: {count} failed")
    drawn = make_subplots(rows=2, cols=1, shared_yaxes=True, vertical_spacing=0.19)
    factor, unit = unit_of(float(np.nanmax(record.seconds, initial=0.0)))
    xs = np.arange(1, len(record.values) + 1, dtype=np.float64), record.seconds / factor
    failed = record.failed_after.astype(np.float64), record.failed_seconds / factor
    rows = evenly(len(record.values), MOST, keep=record.steps[-200:])
    kept, out = (np.array([i for i in rows if record.feasible[i] == side], dtype=np.intp) for side in (True, False))
    texts, texts_out = _texts(record, kept), _texts(record, out)
    for row, (x, x_failed) in enumerate(zip(xs, failed, strict=True), start=1):
        _points(drawn, x[kept], record.values[kept], texts, row)
        _infeasible(drawn, x[out], record.values[out], texts_out, row)
        _steps(drawn, record, x, row)
        _failures(drawn, record, x_failed, row)
        _beyond(drawn, record, record.window, x, row)
    styled(drawn, _title(record), 560)
    drawn.update_yaxes(title_text=label(record.name), **value_axis(record.window))
    if record.bound is not None:
        for row in (1, 2):
            bounded_by(drawn, record.bound, row, 1)
    drawn.update_xaxes(title_text="completed trials", row=1)
    drawn.update_xaxes(title_text=f"{unit} since the start", row=2)
    for row in (1, 2):  # failed trials have no value: they are drawn at the bottom, on an axis of their own
        axis = f"yaxis{row + 2}"
        drawn.update_layout({axis: {"overlaying": f"y{'' if row == 1 else 2}", "range": [0, 1], "visible": False}})
    both = record.window, everything(record.values) if _marks(drawn) else record.window
    switched(drawn, {"yaxis": both, "yaxis2": both}, _marks(drawn))
    return noted(drawn, beyond_note("value", record.window.beyond(record.values), record.window))


def _marks(drawn: go.Figure) -> list[int]:
    return [index for index, trace in enumerate(drawn.data) if trace.legendgroup == "beyond"]


def _title(record: Trace) -> str:
    name = label(record.name)
    if record.bound is not None:
        return f"{name} has to be {escaped(str(record.bound))}"
    if record.steps:
        number = record.completed[record.steps[-1]].number
        return f"Best {name} {scalar(float(record.best[-1]))}, found by trial {number}"
    return f"No result is feasible yet, by {name}" if not record.feasible.all() else name


def _texts(record: Trace, rows: NDArray[np.intp]) -> Mapping[str, Any]:
    return hover([record.completed[i] for i in rows], **{word(record.name): record.values[rows]})


def _points(drawn: go.Figure, x: Array, values: Array, texts: Mapping[str, Any], row: int) -> None:
    drawn.add_scatter(
        x=x,
        y=values,
        mode="markers",
        name="a result",
        legendgroup="result",
        showlegend=row == 1,
        marker={"size": 6, "color": GREY, "opacity": 0.6},
        **texts,
        row=row,
        col=1,
    )


def _infeasible(drawn: go.Figure, x: Array, values: Array, texts: Mapping[str, Any], row: int) -> None:
    if len(x):
        drawn.add_scatter(
            x=x,
            y=values,
            mode="markers",
            name="infeasible",
            legendgroup="infeasible",
            showlegend=row == 1,
            marker=INFEASIBLE,
            **texts,
            row=row,
            col=1,
        )


def _steps(drawn: go.Figure, record: Trace, x: Array, row: int) -> None:
    if not record.steps:
        return
    rows = [*evenly(len(record.steps), MOST), len(record.steps) - 1]
    steps = [record.steps[i] for i in dict.fromkeys(rows)]
    ends = [*x[steps].tolist(), float(np.nanmax(x, initial=0.0))]
    best = record.best[[*steps, -1]]
    drawn.add_scatter(
        x=ends,
        y=best,
        mode="lines",
        name="the best so far",
        legendgroup="best",
        showlegend=row == 1,
        line={"shape": "hv", "color": BLUE, "width": 2.5},
        hoverinfo="skip",
        row=row,
        col=1,
    )


def _failures(drawn: go.Figure, record: Trace, x: Array, row: int) -> None:
    rows = evenly(len(x), MOST_FAILED)
    texts = [about(t, f"failed: {label(t.reason or NO_REASON, 80)}") for t in (record.failed[i] for i in rows)]
    drawn.add_scatter(
        x=x[rows],
        y=np.full(len(rows), 0.025),
        mode="markers",
        name=f"failed ({len(x)})",
        legendgroup="failed",
        showlegend=row == 1 and len(rows) > 0,
        marker={"symbol": "x-thin", "size": 8, "line": {"width": 2, "color": RED}},
        hovertext=texts,
        hoverinfo="text",
        xaxis=f"x{'' if row == 1 else 2}",
        yaxis=f"y{row + 2}",
    )


def _beyond(drawn: go.Figure, record: Trace, window: Window, x: Array, row: int) -> None:
    """A mark at the end of the axis for each result that is beyond it."""
    rows = np.flatnonzero((record.values < window.low) | (record.values > window.high))
    if not len(rows):
        return
    rows = rows[evenly(len(rows), MOST_FAILED)]
    up = record.values[rows] > window.high
    drawn.add_scatter(
        x=x[rows],
        y=np.where(up, 0.985, 0.015),
        mode="markers",
        name="beyond the axis",
        legendgroup="beyond",
        showlegend=row == 1,
        marker={"symbol": np.where(up, "triangle-up", "triangle-down"), "size": 9, "color": ORANGE},
        cliponaxis=False,
        **_texts(record, rows),
        xaxis=f"x{'' if row == 1 else 2}",
        yaxis=f"y{row + 2}",
    )


def unit_of(seconds: float) -> tuple[float, str]:
    """The unit for a time axis of this length: its size in seconds, and its name."""
    for size, name in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds > 3.0 * size:
            return size, name
    return 1.0, "seconds"
