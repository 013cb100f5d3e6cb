"""The Pareto front: two objectives in one panel, more of them in a panel for each pair."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonstop.history.front import Front
from nonstop.history.scale import evenly
from nonstop.history.window import Window, everything
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import BLUE, GREY, INFEASIBLE, NOTHING, empty, hover, styled, told, word
from nonstop.plots.values import ACROSS, beyond_note, noted, switched, value_axis
from nonstop.plots.words import count, plain
from nonstop.types import Array

#: Points to draw of each kind, in each panel; objectives whose pairs are drawn.
MOST, MOST_OBJECTIVES = 1000, 4
_PANEL, _GAP = 300, 70  # heights, in pixels


def front(record: Front) -> go.Figure:
    """All results by their objectives, and those that no other dominates."""
    if not record.windows:
        return empty(NOTHING)
    names = list(record.goals.objectives)[:MOST_OBJECTIVES]
    pairs = list(combinations(range(len(names)), 2))
    columns = 1 if len(pairs) == 1 else 2
    rows = -(-len(pairs) // columns)
    gap = _GAP / (rows * (_PANEL + _GAP))
    drawn = make_subplots(rows=rows, cols=columns, vertical_spacing=gap, horizontal_spacing=0.13)
    for place, pair in enumerate(pairs):
        _panel(drawn, record, pair, place // columns + 1, place % columns + 1)
    tall = 520 if len(pairs) == 1 else rows * (_PANEL + _GAP) + 110
    styled(drawn, _title(record), tall, showlegend=True)
    return _with_notes(drawn, record, pairs)


def _title(record: Front) -> str:
    on, of = int(record.front.sum()), len(record.completed)
    if not on:
        return f"None of {count(of, 'result')} is feasible yet"
    which = "both objectives" if len(record.goals.objectives) == 2 else "every objective"
    are = "is" if on == 1 else "are"
    return f"{on:,} of {count(of, 'result')} {are} on the front: no other is as good in {which}"


def _with_notes(drawn: go.Figure, record: Front, pairs: list[tuple[int, int]]) -> go.Figure:
    """What is beyond the axes, with a switch to see it; and which objectives are not drawn."""
    usual = record.windows
    full = [everything(record.values[:, i]) for i in range(len(usual))]
    axes: dict[str, tuple[Window, Window]] = {}
    for place, (x, y) in enumerate(pairs, start=1):
        suffix = "" if place == 1 else str(place)
        axes |= {f"xaxis{suffix}": (usual[x], full[x]), f"yaxis{suffix}": (usual[y], full[y])}
    beyond = [window.beyond(record.values[:, i]) for i, window in enumerate(usual)]
    if any(out.count for out in beyond):
        switched(drawn, axes)
    names = list(record.goals.objectives)
    said = [
        beyond_note(f"value of {plain(name)}", out, window, f"values of {plain(name)}")
        for name, out, window in zip(names, beyond, usual, strict=True)
    ]
    few = f"the first {MOST_OBJECTIVES} of {len(names)} objectives" if len(names) > MOST_OBJECTIVES else ""
    return noted(drawn, *said, few, width=520 if len(pairs) > 1 else 0)


def _panel(drawn: go.Figure, record: Front, pair: tuple[int, int], row: int, column: int) -> None:
    """All results by two objectives; the front as steps if there are no others."""
    names, directions = list(record.goals.objectives), list(record.goals.objectives.values())
    where = {"row": row, "col": column}
    if len(names) == 2:
        _steps(drawn, record, where)
    kinds = (
        ("infeasible", ~record.feasible, INFEASIBLE),
        ("a result", record.feasible & ~record.front, {"size": 6, "color": GREY, "opacity": 0.6}),
        ("on the front", record.front, {"size": 9, "color": BLUE, "line": {"width": 1, "color": "white"}}),
    )
    for name, which, marker in kinds:
        _points(drawn, record, pair, name, np.flatnonzero(which), marker, where)
    for i, update, most in zip(pair, (drawn.update_xaxes, drawn.update_yaxes), (ACROSS, 8), strict=True):
        better = "smaller" if directions[i] == "minimize" else "larger"
        title = f"{word(names[i])} ({better} is better)"
        update(title_text=title, **value_axis(record.windows[i], most), tickangle=0, **where)


def _points(
    drawn: go.Figure,
    record: Front,
    pair: tuple[int, int],
    name: str,
    found: NDArray[np.intp],
    marker: dict[str, Any],
    where: dict[str, int],
) -> None:
    rows = found[evenly(len(found), MOST)]
    if not len(rows):
        return
    trials = [record.completed[i] for i in rows]
    drawn.add_scatter(
        x=record.values[rows, pair[0]],
        y=record.values[rows, pair[1]],
        mode="markers",
        name=name,
        legendgroup=name,
        marker=marker,
        **hover(trials, **told(trials)),
        **where,
    )


def _steps(drawn: go.Figure, record: Front, where: dict[str, int]) -> None:
    """The border of what the front dominates."""
    x, y = border(record)
    if len(x):
        drawn.add_scatter(
            x=x,
            y=y,
            mode="lines",
            name="dominated beyond this line",
            legendgroup="border",
            line={"shape": "hv" if record.goals.signs[0] < 0.0 else "vh", "color": BLUE, "width": 2},
            hoverinfo="skip",
            **where,
        )


def border(record: Front) -> tuple[Array, Array]:
    """The corners of the steps of a front of two objectives, by the first, with an end on either side at the worst
    result."""
    on = record.values[record.front]
    if not len(on):
        return np.empty(0), np.empty(0)
    signs = record.goals.signs
    on = on[np.argsort(on[:, 0], kind="stable")]
    worst = (record.values * signs).min(axis=0) * signs
    steep, flat = np.array([[on[0, 0], worst[1]]]), np.array([[worst[0], on[-1, 1]]])
    if signs[0] > 0.0:  # the far end of the first objective is on the left
        steep, flat = np.array([[worst[0], on[0, 1]]]), np.array([[on[-1, 0], worst[1]]])
    corners = np.concatenate([steep, on, flat])
    return corners[:, 0], corners[:, 1]
