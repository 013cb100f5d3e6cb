"""Which parameters matter, and their lengthscales over time."""

from __future__ import annotations

import numpy as np

from nonstop.history.relevance import Lengthscales
from nonstop.history.scale import evenly
from nonstop.outcomes.goals import VALUE
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import CYCLE, FAINT, GREY, compact, empty, log_axis, styled
from nonstop.plots.values import noted
from nonstop.plots.words import distinct, escaped, label

MOST, MOST_BARS = 250, 20  # fits to draw, and bars


def lengthscales(record: Lengthscales) -> go.Figure:
    """The relevance of each parameter, and all lengthscales over the number of results."""
    if not len(record.numbers):
        return empty("no proposal came from a model yet")
    ranked = np.argsort(-record.relevance, kind="stable").tolist()
    bars = ranked[:MOST_BARS]
    sizes = [max(70, 24 * len(bars)), 230, 180]
    drawn = make_subplots(
        rows=3,
        cols=1,
        row_heights=sizes,
        vertical_spacing=70 / (sum(sizes) + 140),
        subplot_titles=["relevance: 1 / lengthscale", "each lengthscale", "all lengthscales"],
    )
    colours = {axis: CYCLE[rank] if rank < len(CYCLE) else FAINT for rank, axis in enumerate(ranked)}
    _relevance(drawn, record, bars, colours)
    _over_time(drawn, record, ranked, colours)
    styled(drawn, _title(record, ranked), sum(sizes) + 290)
    drawn.update_annotations(font={"size": 13}, x=0, xanchor="left")
    few = f"the {len(bars)} most relevant of {len(ranked)} parameters" if len(bars) < len(ranked) else ""
    return noted(drawn, few, width=480 if max(map(len, record.names)) > 12 else 0)


def _title(record: Lengthscales, ranked: list[int]) -> str:
    if len(ranked) == 1:
        return f"The lengthscale of {label(record.names[0])}"
    of = "" if record.outcome == VALUE else f" of {label(record.outcome)}"
    return f"{label(record.names[ranked[0]])} matters most to the model{of}"


def _relevance(drawn: go.Figure, record: Lengthscales, bars: list[int], colours: dict[int, str]) -> None:
    shares = record.relevance[bars]
    drawn.add_bar(
        x=shares,
        y=list(range(len(bars))),
        orientation="h",
        showlegend=False,
        row=1,
        col=1,
        marker={"color": [colours[axis] if colours[axis] != FAINT else GREY for axis in bars]},
        hovertext=[f"{label(record.names[a])}: {s:.1%}" for a, s in zip(bars, shares, strict=True)],
        hoverinfo="text",
    )
    drawn.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(bars))),
        ticktext=[f"{name}  " for name in _names(record, bars)],
        range=[len(bars) - 0.4, -0.6],
        showgrid=False,
        ticks="",
        row=1,
    )
    drawn.update_xaxes(tickformat=".0%", rangemode="tozero", row=1)


def _names(record: Lengthscales, axes: list[int]) -> list[str]:
    return [escaped(name) for name in distinct([record.names[axis] for axis in axes], 22)]


def _over_time(drawn: go.Figure, record: Lengthscales, ranked: list[int], colours: dict[int, str]) -> None:
    rows = evenly(len(record.numbers), MOST)
    x = record.results[rows]
    mode = "lines" if len(rows) > 1 else "markers"
    names = dict(zip(ranked, _names(record, ranked), strict=True))
    for axis in reversed(ranked):  # the most relevant ones on top
        name = names[axis]
        drawn.add_scatter(
            x=x,
            y=compact(record.lengthscales[rows, axis]),
            mode=mode,
            name=name,
            showlegend=colours[axis] != FAINT,
            line={"color": colours[axis], "width": 1 if colours[axis] == FAINT else 2},
            legendrank=1 + ranked.index(axis),
            hovertemplate=f"{name.replace('%', '&#37;')}: %{{y:.3g}}<br>after %{{x}} results<extra></extra>",
            row=2,
            col=1,
        )
    for name, y, dash in (("mean", record.mean, "solid"), ("mean change since the fit before", record.change, "dot")):
        drawn.add_scatter(
            x=x,
            y=np.where(y[rows] > 0.0, y[rows], np.nan),
            mode=mode,
            name=name,
            line={"color": GREY, "dash": dash, "width": 2.5},
            hovertemplate=f"{name}: %{{y:.3g}}<br>after %{{x}} results<extra></extra>",
            legendrank=1000,
            row=3,
            col=1,
        )
    drawn.update_yaxes(**log_axis(record.lengthscales[rows], 6), row=2)
    drawn.update_yaxes(**log_axis(np.concatenate([record.mean[rows], record.change[rows]]), 6), row=3)
    drawn.update_xaxes(title_text="results the model had seen", row=3)
