"""The model check: leave-one-out predictions and their intervals."""

from __future__ import annotations

import numpy as np

from nonstop.history.calibration import Check
from nonstop.history.scale import evenly
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import BLUE, GREY, ORANGE, between, empty, hover, reaching, styled

MOST = 400  # results to draw


def check(record: Check) -> go.Figure:
    """Predicted against observed values, and the coverage of the intervals."""
    if not record.trials:
        return empty("no prediction can be checked before the second completed trial")
    drawn = make_subplots(
        rows=1,
        cols=2,
        column_widths=[0.62, 0.38],
        horizontal_spacing=0.14,
        subplot_titles=["predicted from all other results", "share of results inside the interval"],
    )
    _predictions(drawn, record)
    _coverage(drawn, record)
    styled(drawn, _title(record), 440, showlegend=True)
    drawn.update_annotations(font={"size": 13})
    return drawn


def _title(record: Check) -> str:
    inside = next(c.observed for c in record.coverage if c.level == 0.95)
    explained = "" if record.explained is None else f" · {max(record.explained, 0.0):.0%} of the variance explained"
    return f"{inside:.0%} of the results lie where 95 % should{explained}"


def _predictions(drawn: go.Figure, record: Check) -> None:
    rows = evenly(len(record.trials), MOST)
    trials = [record.trials[i] for i in rows]
    x, y, low, high = (side[rows] for side in (record.observed, record.predicted, record.low, record.high))
    ends = [float(record.observed.min()), float(record.observed.max())]
    drawn.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        name="perfect",
        hoverinfo="skip",
        row=1,
        col=1,
        line={"color": ORANGE, "dash": "dot", "width": 1.5},
    )
    drawn.add_scatter(
        x=x,
        y=y,
        mode="markers",
        name="a result, and 95 %",
        **hover(trials, observed=x, predicted=y, **{"from": low, "to": high}),
        row=1,
        col=1,
        marker={"size": 6, "color": BLUE, "opacity": 0.8},
        error_y=between(y, low, high, color="rgba(0,114,178,0.3)", thickness=1),
    )
    drawn.update_xaxes(title_text="observed", row=1, col=1)
    seen = reaching(np.concatenate([record.observed, record.predicted]), np.concatenate([record.low, record.high]))
    drawn.update_yaxes(title_text="predicted", range=seen, row=1, col=1)


def _coverage(drawn: go.Figure, record: Check) -> None:
    levels, observed = [c.level for c in record.coverage], [c.observed for c in record.coverage]
    names = [f"{level:.0%}" for level in levels]
    positions = list(range(len(levels)))
    drawn.add_bar(
        x=positions,
        y=observed,
        name="inside",
        marker={"color": BLUE, "opacity": 0.75},
        row=1,
        col=2,
        hoverinfo="text",
        hovertext=[f"{o:.1%} inside the {n} interval" for o, n in zip(observed, names, strict=True)],
        width=0.6,
    )
    drawn.add_scatter(
        x=positions,
        y=levels,
        mode="markers",
        name="should be inside",
        hoverinfo="skip",
        row=1,
        col=2,
        marker={"symbol": "line-ew", "size": 26, "color": GREY, "line": {"width": 3, "color": ORANGE}},
    )
    drawn.update_xaxes(title_text="interval", tickmode="array", tickvals=positions, ticktext=names, row=1, col=2)
    drawn.update_yaxes(range=[0, 1.04], tickformat=".0%", row=1, col=2)
