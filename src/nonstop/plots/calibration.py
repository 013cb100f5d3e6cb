"""The model check: leave-one-out predictions and their intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nonstop.history.calibration import Check
from nonstop.history.scale import evenly
from nonstop.history.window import Kind, Window, everything
from nonstop.outcomes.goals import VALUE
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import BLUE, GREY, ORANGE, between, empty, hover, styled
from nonstop.plots.values import ACROSS, beyond_note, noted, switched, value_axis
from nonstop.plots.words import label

MOST = 400  # results to draw


def check(record: Check) -> go.Figure:
    """Predicted against observed values, and the coverage of the intervals."""
    if record.window is None or record.reach is None:
        return empty("no prediction can be checked before the second completed trial")
    drawn = make_subplots(
        rows=1,
        cols=2,
        column_widths=[0.58, 0.42],
        horizontal_spacing=0.14,
        subplot_titles=["predicted from the others", "inside the interval"],
    )
    _predictions(drawn, record, record.window, record.reach)
    _coverage(drawn, record)
    styled(drawn, _title(record), 440, showlegend=True)
    drawn.update_annotations(font={"size": 13})
    results, predictions = record.window.beyond(record.observed), record.reach.beyond(record.predicted)
    if results.count or predictions.count:
        results_all, predictions_all = _all(record)
        switched(drawn, {"xaxis": (record.window, results_all), "yaxis": (record.reach, predictions_all)})
    return noted(
        drawn,
        beyond_note("result", results, record.window),
        beyond_note("prediction", predictions, record.reach),
        "the model sees bad values compressed by a logarithm" if record.compressed and predictions.count else "",
    )


def _all(record: Check) -> tuple[Window, Window]:
    """The windows of all results and of all predictions, both of one kind, so that the diagonal is straight."""
    results, both = everything(record.observed), everything(np.concatenate([record.observed, record.predicted]))
    kind: Kind = "log" if results.kind == both.kind == "log" else "linear"
    return replace(results, kind=kind), replace(both, kind=kind)


def _title(record: Check) -> str:
    inside = next(c.observed for c in record.coverage if c.level == 0.95)
    of = "compressed values’ variance" if record.compressed else "variance"
    explained = "" if record.explained is None else f" · {max(record.explained, 0.0):.0%} of the {of} explained"
    of = "" if record.name == VALUE else f"{label(record.name)}: "
    return f"{of}{inside:.0%} of the results lie where 95 % should{explained}"


def _predictions(drawn: go.Figure, record: Check, window: Window, reach: Window) -> None:
    rows = evenly(len(record.trials), MOST)
    trials = [record.trials[i] for i in rows]
    x, y, low, high = (side[rows] for side in (record.observed, record.predicted, record.low, record.high))
    texts = hover(trials, observed=x, predicted=y, **{"from": low, "to": high})
    ends = [float(record.observed.min()), float(record.observed.max())]
    # Bars that reach 1e200, and points that are not positive on a log axis, have no place on a screen.
    widest = _all(record)[1].wider(np.concatenate([low, high]))
    low, high = widest.clip(low), widest.clip(high)
    if reach.kind == "log":
        y, low, high = (np.maximum(side, 0.1 * reach.low) for side in (y, low, high))
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
        **texts,
        row=1,
        col=1,
        marker={"size": 6, "color": BLUE, "opacity": 0.8},
        error_y=between(y, low, high, color="rgba(0,114,178,0.3)", thickness=1),
    )
    drawn.update_xaxes(title_text="observed", **value_axis(window, ACROSS), tickangle=0, row=1, col=1)
    drawn.update_yaxes(title_text="predicted", **value_axis(reach), row=1, col=1)


def _coverage(drawn: go.Figure, record: Check) -> None:
    levels, observed = [c.level for c in record.coverage], [c.observed for c in record.coverage]
    names = [f"{100.0 * level:.0f}" for level in levels]
    positions = list(range(len(levels)))
    drawn.add_bar(
        x=positions,
        y=observed,
        name="inside",
        marker={"color": BLUE, "opacity": 0.75},
        row=1,
        col=2,
        hoverinfo="text",
        hovertext=[f"{o:.1%} inside the {n} % interval" for o, n in zip(observed, names, strict=True)],
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
    drawn.update_xaxes(
        title_text="interval, in %", tickmode="array", tickvals=positions, ticktext=names, tickangle=0, row=1, col=2
    )
    drawn.update_yaxes(range=[0, 1.04], tickformat=".0%", row=1, col=2)
