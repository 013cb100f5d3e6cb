"""The dominated volume over results and over time."""

from __future__ import annotations

import numpy as np

from nonstop.history.scale import evenly
from nonstop.history.volume import FIRST, POINTS, Hypervolume
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.progress import unit_of
from nonstop.plots.style import BLUE, GREEN, NOTHING, empty, hover, styled, told
from nonstop.plots.values import noted
from nonstop.plots.words import count, number, plain
from nonstop.types import Array

MOST = 1000  # steps to draw


def hypervolume(record: Hypervolume) -> go.Figure:
    """The volume that the front dominates, over the number of results and over time, and the size of the front."""
    if not record.completed:
        return empty(NOTHING)
    if not record.reference:
        return empty(f"no feasible result yet among {len(record.completed):,}")
    drawn = make_subplots(rows=2, cols=1, vertical_spacing=0.19, specs=[[{"secondary_y": True}], [{}]])
    factor, unit = unit_of(float(np.nanmax(record.seconds, initial=0.0)))
    over_results = np.arange(1, len(record.completed) + 1, dtype=np.float64)
    for row, x in enumerate((over_results, record.seconds / factor), start=1):
        _volume(drawn, record, x, row)
    _size(drawn, record, over_results)
    styled(drawn, _title(record), 560)
    drawn.update_yaxes(title_text="hypervolume", rangemode="tozero", tickformat="~g", secondary_y=False)
    whole = {"tickmode": "auto", "nticks": 5, "tickformat": "d", "rangemode": "tozero"}
    drawn.update_yaxes(title_text="trials on the front", showgrid=False, **whole, secondary_y=True, row=1, col=1)
    drawn.update_xaxes(title_text="completed trials", row=1)
    drawn.update_xaxes(title_text=f"{unit} since the start", row=2)
    return noted(drawn, _reference(record), "" if record.exact else f"estimated from {POINTS:,} points")


def _title(record: Hypervolume) -> str:
    size = count(int(record.size[-1]), "trial")
    about = "" if record.exact else "about "
    steps = record.steps
    last = f", last grown by trial {record.completed[steps[-1]].number}" if steps else ""
    return f"The front of {size} dominates a volume of {about}{number(float(record.volume[-1]), 5)}{last}"


def _reference(record: Hypervolume) -> str:
    point = ", ".join(f"{plain(name)} = {number(value)}" for name, value in record.reference.items())
    why = "" if record.given else f": a tenth of the range beyond the worst of the first {FIRST} feasible results"
    return f"reference point {point}{why}"


def _volume(drawn: go.Figure, record: Hypervolume, x: Array, row: int) -> None:
    steps = record.steps
    rows = [steps[i] for i in evenly(len(steps), MOST)]
    end = float(np.nanmax(x, initial=0.0))
    volumes = record.volume[rows]
    drawn.add_scatter(
        x=[*x[rows].tolist(), end],
        y=[*volumes.tolist(), float(record.volume[-1])],
        mode="lines",
        name="dominated volume",
        legendgroup="volume",
        showlegend=row == 1,
        line={"shape": "hv", "color": BLUE, "width": 2.5},
        hoverinfo="skip",
        row=row,
        col=1,
    )
    trials = [record.completed[i] for i in rows]
    drawn.add_scatter(
        x=x[rows],
        y=volumes,
        mode="markers",
        name="a result that made it grow",
        legendgroup="grown",
        showlegend=row == 1,
        marker={"size": 6, "color": BLUE},
        **hover(trials, hypervolume=volumes, **told(trials)),
        row=row,
        col=1,
    )


def _size(drawn: go.Figure, record: Hypervolume, x: Array) -> None:
    changes = np.flatnonzero(np.diff(record.size, prepend=0.0)).tolist()
    rows = [changes[i] for i in evenly(len(changes), MOST)]
    drawn.add_scatter(
        x=[*x[rows].tolist(), float(x[-1])],
        y=[*record.size[rows].tolist(), float(record.size[-1])],
        mode="lines",
        name="trials on the front",
        line={"shape": "hv", "color": GREEN, "width": 1.5, "dash": "dot"},
        hovertemplate="%{y:d} trials on the front after %{x:d} results<extra></extra>",
        secondary_y=True,
        row=1,
        col=1,
    )
