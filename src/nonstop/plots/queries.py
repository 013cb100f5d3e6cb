"""Distances between queries, and how much they explore."""

from __future__ import annotations

import numpy as np

from nonstop.history.queries import Distances
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import BLUE, GREEN, GREY, ORANGE, RED, empty, hover, log_axis, styled
from nonstop.plots.values import noted
from nonstop.types import Array

FLOOR = 1e-6  # a distance of zero is drawn here: a log scale has no zero
_WINDOW = 15  # queries in the running median


def distances(record: Distances) -> go.Figure:
    """The distance of each query to earlier and to busy points, and its share of exploration."""
    if not record.trials:
        return empty("no trial was proposed yet")
    modelled = bool(np.isfinite(record.exploration).any())
    drawn = make_subplots(rows=2 if modelled else 1, cols=1, shared_xaxes=True, vertical_spacing=0.13)
    numbers = np.array([trial.number for trial in record.trials])
    for name, y, colour, symbol in (
        ("to the nearest earlier point", record.to_earlier, BLUE, "circle"),
        ("to the nearest busy point", record.to_busy, ORANGE, "diamond"),
    ):
        there = np.isfinite(y)
        drawn.add_scatter(
            x=numbers[there],
            y=np.maximum(y[there], FLOOR),
            mode="markers",
            name=name,
            **hover([trial for trial, some in zip(record.trials, there, strict=True) if some], distance=y[there]),
            marker={"size": 6, "color": colour, "symbol": symbol, "opacity": 0.75},
            row=1,
            col=1,
        )
    drawn.add_scatter(
        x=[int(numbers[0]), int(numbers[-1])],
        y=[record.threshold] * 2,
        mode="lines",
        hoverinfo="skip",
        name="nearly the same",
        line={"color": RED, "dash": "dot", "width": 1.5},
        row=1,
        col=1,
    )
    if modelled:
        _exploration(drawn, record, numbers)
    styled(drawn, _title(record), 560 if modelled else 360)
    known = np.maximum(np.concatenate([record.to_earlier, record.to_busy, [record.threshold]]), FLOOR)
    drawn.update_yaxes(title_text="distance", **log_axis(known, 6), row=1)
    drawn.update_xaxes(title_text="trial", row=2 if modelled else 1)
    return noted(drawn)


def _title(record: Distances) -> str:
    count = record.duplicates
    some = "" if len(record.trials) == record.of else f" (of {len(record.trials):,} that are shown)"
    if not count:
        return f"No query repeats an earlier one{some}"
    return f"{count} quer{'y is' if count == 1 else 'ies are'} nearly the same as an earlier one{some}"


def _exploration(drawn: go.Figure, record: Distances, numbers: Array) -> None:
    there = np.isfinite(record.exploration)
    x, share = numbers[there], record.exploration[there]
    drawn.add_scatter(
        x=x,
        y=share,
        mode="markers",
        name="share of exploration",
        marker={"size": 5, "color": GREY, "opacity": 0.6},
        hovertemplate="trial %{x}: %{y:.0%} exploration<extra></extra>",
        row=2,
        col=1,
    )
    drawn.add_scatter(
        x=x,
        y=rolling_median(share, _WINDOW),
        mode="lines",
        name=f"its median over {_WINDOW} queries",
        line={"color": GREEN, "width": 2.5},
        hoverinfo="skip",
        row=2,
        col=1,
    )
    drawn.update_yaxes(
        range=[-0.03, 1.03], tickmode="array", tickvals=[0, 0.5, 1], ticktext=["exploit", "½", "explore"], row=2
    )


def rolling_median(y: Array, window: int) -> Array:
    """The median of the last `window` values, or of all there are so far."""
    return np.array([np.median(y[max(0, i + 1 - window) : i + 1]) for i in range(len(y))])
