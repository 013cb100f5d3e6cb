"""The share of feasible results over time, and each constraint with its bound."""

from __future__ import annotations

import numpy as np

from nonstop.history.feasibility import LATEST, Feasibility, Kept
from nonstop.history.scale import evenly
from nonstop.history.window import everything
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import BLUE, GREEN, GREY, INFEASIBLE, NOTHING, bounded_by, empty, hover, styled, told, word
from nonstop.plots.values import beyond_note, noted, switched, value_axis
from nonstop.plots.words import count, plain
from nonstop.types import Array
from nonstop.wording import share

#: Points to draw of each kind, and constraints: those that are violated most often.
MOST, MOST_CONSTRAINTS = 1000, 6
_SHARE, _PANEL, _GAP = 130, 190, 58  # heights, in pixels


def constraints(record: Feasibility) -> go.Figure:
    """The share of feasible results, and a panel for each constraint."""
    if not record.constraints:
        return empty(NOTHING)
    shown = sorted(record.constraints, key=lambda kept: -int(kept.violated.sum()))[:MOST_CONSTRAINTS]
    heights = [_SHARE, *[_PANEL] * len(shown)]
    tall = sum(heights) + _GAP * len(shown)
    drawn = make_subplots(
        rows=len(heights),
        cols=1,
        row_heights=heights,
        vertical_spacing=_GAP / tall,
        shared_xaxes=True,
        subplot_titles=["feasible results", *(_subtitle(kept) for kept in shown)],
    )
    x = np.arange(1, len(record.completed) + 1, dtype=np.float64)
    _shares(drawn, record, x)
    for row, kept in enumerate(shown, start=2):
        _constraint(drawn, record, kept, x, row)
    styled(drawn, _title(record), tall + 150)
    drawn.update_annotations(selector=lambda note: note.yref == "paper", font={"size": 13}, x=0, xanchor="left")
    drawn.update_xaxes(title_text="completed trials", row=len(heights))
    return _with_notes(drawn, record, shown)


def _title(record: Feasibility) -> str:
    first, feasible = record.first, int(record.feasible.sum())
    if first is None:
        return f"None of {count(len(record.feasible), 'result')} is feasible yet"
    part = share(feasible / len(record.feasible))
    which = f"{feasible:,} of {count(len(record.feasible), 'result')} ({part})"
    return f"{which} {'is' if feasible == 1 else 'are'} feasible, the first is trial {first.number}"


def _subtitle(kept: Kept) -> str:
    many = int(kept.violated.sum())
    return f"{word(kept.name)}: {many:,} {'violates' if many == 1 else 'violate'} it"


def _with_notes(drawn: go.Figure, record: Feasibility, shown: list[Kept]) -> go.Figure:
    beyond = [kept.window.beyond(kept.values) for kept in shown]
    if any(out.count for out in beyond):
        axes = {f"yaxis{row}": (kept.window, everything(_all(kept))) for row, kept in enumerate(shown, start=2)}
        switched(drawn, axes)
    said = [
        beyond_note(f"value of {plain(kept.name)}", out, kept.window, f"values of {plain(kept.name)}")
        for kept, out in zip(shown, beyond, strict=True)
    ]
    hidden = len(record.constraints) - len(shown)
    few = f"{hidden} constraints that are violated less often are not shown" if hidden else ""
    return noted(drawn, *said, few)


def _all(kept: Kept) -> Array:
    return np.append(kept.values, kept.bound.value)


def _shares(drawn: go.Figure, record: Feasibility, x: Array) -> None:
    rows = evenly(len(x), MOST)
    lines = (
        (f"of the latest {LATEST}", record.latest, {"color": GREEN, "width": 1.5, "dash": "dot"}),
        ("of all so far", record.share, {"color": BLUE, "width": 2.5}),
    )
    for name, y, line in lines:
        drawn.add_scatter(
            x=x[rows],
            y=y[rows],
            mode="lines" if len(rows) > 1 else "markers",
            name=name,
            line=line,
            hovertemplate=f"%{{y:.1%}} {name} after %{{x:d}} results<extra></extra>",
            row=1,
            col=1,
        )
    drawn.update_yaxes(range=[-0.04, 1.04], tickformat=".0%", nticks=4, row=1, col=1)


def _constraint(drawn: go.Figure, record: Feasibility, kept: Kept, x: Array, row: int) -> None:
    kinds = (
        ("keeps its bound", ~kept.violated, {"size": 6, "color": GREY, "opacity": 0.6}),
        ("violates it", kept.violated, INFEASIBLE),
    )
    for name, which, marker in kinds:
        found = np.flatnonzero(which)
        rows = found[evenly(len(found), MOST)]
        if len(rows):
            trials = [record.completed[i] for i in rows]
            drawn.add_scatter(
                x=x[rows],
                y=kept.values[rows],
                mode="markers",
                name=name,
                legendgroup=name,
                marker=marker,
                **hover(trials, **told(trials)),
                row=row,
                col=1,
            )
    bounded_by(drawn, kept.bound, row, 1)
    drawn.update_yaxes(title_text=word(kept.name), **value_axis(kept.window, 5), row=row, col=1)
