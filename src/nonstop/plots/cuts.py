"""Slices and contours of the model through the incumbent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nonstop.history.cuts import NEAR, Contour, Slice, Slices
from nonstop.history.scale import evenly
from nonstop.history.window import Window, everything, scaled
from nonstop.outcomes.goals import VALUE
from nonstop.plots.plotly import go, make_subplots
from nonstop.plots.style import (
    BLUE,
    GREEN,
    GREY,
    NOTHING,
    ORANGE,
    RED,
    SCALE,
    about,
    between,
    bounded,
    bounded_by,
    compact,
    empty,
    log_axis,
    styled,
)
from nonstop.plots.values import beyond_note, noted, switched, value_axis
from nonstop.plots.words import distinct, escaped, label, number
from nonstop.trials.trial import Trial
from nonstop.types import Array

MOST = 120  # results to draw in each slice: the closest ones
_BAND = "rgba(0,114,178,0.18)"
_PANEL, _STRIP, _GAP = 180, 44, 76  # heights, in pixels
_CHARACTERS = {1: 60, 2: 34, 3: 20}  # that fit below a panel if there are so many side by side


def slices(record: Slices | None) -> go.Figure:
    """The model along each parameter, with the acquisition below it."""
    if record is None or record.incumbent is None or record.window is None or record.reach is None:
        return empty(NOTHING)
    columns = min(len(record.slices), 2 if len(record.slices) <= 4 else 3)
    rows = math.ceil(len(record.slices) / columns)
    strips = record.rule is not None
    # Each row of slices is a panel, the strip with the acquisition beneath it, and a gap for the parameter's axis.
    heights = ([_PANEL, _STRIP, _GAP] if strips else [_PANEL, _GAP]) * rows
    gap: list[None] = [None] * columns
    drawn = make_subplots(
        rows=len(heights),
        cols=columns,
        row_heights=heights,
        vertical_spacing=0.0,
        horizontal_spacing=0.09 / columns,
        specs=[gap if height == _GAP else [{} for _ in range(columns)] for height in heights],
    )
    names = distinct([cut.scale.label for cut in record.slices], _CHARACTERS[columns])
    for index, cut in enumerate(record.slices):
        row, column = index // columns * len(heights) // rows + 1, index % columns + 1
        axis = {**bounded(cut.scale, 0.03, _CHARACTERS[columns]), "title_text": escaped(names[index])}
        _model(drawn, record, record.reach, cut, axis, row, column)
        if strips:
            _strip(drawn, cut, axis, row + 1, column, rule=record.rule or "")
    few = (
        ""
        if len(record.slices) == record.of
        else f" · the {len(record.slices)} most relevant of {record.of} parameters"
    )
    of = "" if record.name == VALUE else f" of {label(record.name)}"
    styled(
        drawn,
        f"The model{of} around the best, trial {record.incumbent.number}{few}",
        sum(heights) + 110,
        margin={"b": 10},
    )
    return _with_notes(drawn, record, record.reach)


def _with_notes(drawn: go.Figure, record: Slices, reach: Window) -> go.Figure:
    """What is beyond the axis, and a switch to see it."""
    means = np.concatenate([cut.mean for cut in record.slices])
    results, mean = reach.beyond(record.near), reach.beyond(means)
    if results.count or mean.count:
        full = everything(np.concatenate([record.near, means]))
        axes = [axis.plotly_name for axis in drawn.select_yaxes() if axis.type == reach.kind]
        switched(drawn, dict.fromkeys(axes, (reach, full)))
    up = "" if mean.furthest is None else f"the model’s mean goes {'up' if mean.furthest > reach.high else 'down'} to"
    return noted(drawn, beyond_note("result", results, reach), up and f"{up} {number(mean.furthest or 0.0)}")


def _model(
    drawn: go.Figure, record: Slices, reach: Window, cut: Slice, axis: dict[str, Any], row: int, column: int
) -> None:
    """Mean, band, the results near the slice, and where the incumbent and the busy points are."""
    where = {"row": row, "col": column}
    full = everything(np.concatenate([record.near, cut.mean]))
    # Bands that reach 1e200, and what is not positive on a log axis, have no place on a screen.
    mean, low, high = (_drawable(side, reach, full) for side in (cut.mean, cut.low, cut.high))
    if cut.scale.kind == "choices":
        drawn.add_scatter(
            x=cut.at,
            y=mean,
            mode="markers",
            name="mean",
            legendgroup="mean",
            marker={"color": BLUE, "size": 9, "symbol": "line-ew", "line": {"width": 3, "color": BLUE}},
            error_y=between(mean, low, high, color=_BAND, thickness=14),
            **where,
        )
    else:
        drawn.add_scatter(
            x=compact(np.concatenate([cut.at, cut.at[::-1]])),
            y=compact(np.concatenate([high, low[::-1]])),
            fill="toself",
            mode="none",
            fillcolor=_BAND,
            name="95 %",
            legendgroup="band",
            hoverinfo="skip",
            **where,
        )
        drawn.add_scatter(
            x=cut.at,
            y=mean,
            mode="lines",
            line={"color": BLUE, "width": 2},
            name="mean",
            legendgroup="mean",
            hovertemplate="%{x:.4g}: mean %{y:.4g}<extra></extra>",
            **where,
        )
    _results(drawn, record, cut, where)
    _busy(drawn, record, reach, cut, where)
    hidden = {} if record.rule is None else {"title_text": "", "showticklabels": False, "ticks": ""}
    drawn.update_xaxes(**{**axis, **hidden}, **where)
    left = {"title_text": label(record.name)} if column == 1 else {"showticklabels": False, "ticks": ""}
    drawn.update_yaxes(**value_axis(reach), **left, **where)
    if record.bound is not None:
        bounded_by(drawn, record.bound, row, column)


def _drawable(values: Array, reach: Window, full: Window) -> Array:
    low = 0.1 * reach.low if reach.kind == "log" else min(reach.low, full.low) - (reach.high - reach.low)
    return np.clip(values, low, max(reach.high, full.high) + (reach.high - reach.low))


def _results(drawn: go.Figure, record: Slices, cut: Slice, where: dict[str, int]) -> None:
    """The results near the slice, fainter with distance; far ones would only stretch the axis."""
    order = np.argsort(-cut.closeness, kind="stable")[:MOST]
    rows = order[cut.closeness[order] > NEAR]
    best = next(i for i, trial in enumerate(record.results) if trial is record.incumbent)
    drawn.add_scatter(
        x=compact(cut.data[rows]),
        y=compact(record.values[rows]),
        mode="markers",
        name="results (faint: far away)",
        legendgroup="results",
        marker={"size": 6, "color": GREY, "opacity": compact(0.15 + 0.75 * cut.closeness[rows])},
        customdata=np.array([record.results[i].number for i in rows]),
        hovertemplate="trial %{customdata}: %{y:.5~g}<extra></extra>",
        **where,
    )
    drawn.add_scatter(
        x=[cut.data[best]],
        y=[record.values[best]],
        mode="markers",
        name="the best",
        legendgroup="best",
        marker={"size": 13, "symbol": "star", "color": ORANGE, "line": {"width": 1, "color": "white"}},
        hovertext=about(record.results[best], f"{label(record.name)} {record.values[best]:.5g}"),
        hoverinfo="text",
        **where,
    )


def _busy(drawn: go.Figure, record: Slices, reach: Window, cut: Slice, where: dict[str, int]) -> None:
    """Busy points, at the bottom because they have no value yet."""
    if len(cut.busy):
        rows = evenly(len(cut.busy), MOST)
        drawn.add_scatter(
            x=cut.busy[rows],
            y=np.full(len(rows), reach.low),
            mode="markers",
            name="busy now",
            legendgroup="busy",
            marker={"size": 10, "symbol": "triangle-up", "color": RED},
            hovertext=[about(record.busy[i]) for i in rows],
            hoverinfo="text",
            **where,
        )


def _strip(drawn: go.Figure, cut: Slice, axis: dict[str, Any], row: int, column: int, rule: str) -> None:
    """The acquisition, below the model: the next trial is proposed where it is high."""
    assert cut.acquisition is not None
    name = f"acquisition ({label(rule)})"
    if cut.scale.kind == "choices":
        drawn.add_bar(
            x=cut.at,
            y=compact(cut.acquisition),
            marker={"color": GREEN, "opacity": 0.5},
            name=name,
            legendgroup="acquisition",
            hoverinfo="skip",
            row=row,
            col=column,
        )
    else:
        drawn.add_scatter(
            x=cut.at,
            y=compact(cut.acquisition),
            mode="lines",
            fill="tozeroy",
            fillcolor="rgba(0,158,115,0.22)",
            name=name,
            line={"color": GREEN, "width": 1.5},
            legendgroup="acquisition",
            hoverinfo="skip",
            row=row,
            col=column,
        )
    drawn.update_xaxes(**axis, row=row, col=column)
    drawn.update_yaxes(range=[0, 1.05], showticklabels=False, ticks="", showgrid=False, row=row, col=column)


def contour(record: Contour | None) -> go.Figure:
    """Mean and standard deviation of the model over two parameters."""
    if record is None:
        return empty("nothing to show: this needs two parameters and a completed trial")
    drawn = make_subplots(
        rows=1, cols=2, horizontal_spacing=0.2, subplot_titles=["the model’s mean", "its standard deviation"]
    )
    sides = ((record.mean, record.window, SCALE), (record.sd, record.spread, "Greys"))
    for column, (z, window, colours) in enumerate(sides, start=1):
        grid = {"x": record.at_x, "y": record.at_y, **_colours(z, window, 0.405 if column == 1 else 1.005)}
        smooth = "choices" not in (record.x.kind, record.y.kind)
        surface = go.Contour(**grid, line={"width": 0.5}, ncontours=16) if smooth else go.Heatmap(**grid)
        drawn.add_trace(surface.update(colorscale=colours), row=1, col=column)
        _landmarks(drawn, record, column)
        drawn.update_xaxes(**bounded(record.x, width=20), showgrid=False, row=1, col=column)
        drawn.update_yaxes(
            **{**bounded(record.y), **({"title_text": "", "showticklabels": False} if column == 2 else {})},
            showgrid=False,
            row=1,
            col=column,
        )
    of = "" if record.name == VALUE else f"{label(record.name)} over "
    pair = f"{label(record.x.label)} and {label(record.y.label)}"
    title = f"{of}{pair}, all others as in trial {record.incumbent.number}"
    styled(drawn, title, 460, margin={"t": 76})
    drawn.update_annotations(font={"size": 13})
    furthest = {
        name: side[1].beyond(side[0].ravel()).furthest for name, side in zip(("mean", "sd"), sides, strict=True)
    }
    ends = [f"the {name} reaches {number(end)}" for name, end in furthest.items() if end is not None]
    return noted(drawn, f"{' and '.join(ends)}, beyond the colours" if ends else "")


def _colours(z: Array, window: Window, x: float) -> dict[str, Any]:
    """The surface in colours, from one end of the window to the other; on a log scale if the window is."""
    shown = scaled(window.clip(z), window.kind)
    bar: dict[str, Any] = {"len": 1.0, "thickness": 10, "x": x, "outlinewidth": 0, "tickformat": ".3~g", "nticks": 6}
    if window.kind == "log":
        ticks = log_axis(np.array([window.low, window.high]), 6)
        bar |= {"tickmode": "array", "tickvals": np.log10(ticks["tickvals"]), "ticktext": ticks["ticktext"]}
    same = bool((shown == z).all())
    return {
        "z": compact(shown),
        "zmin": float(shown.min()),
        "zmax": float(shown.max()),
        "customdata": None if same else compact(z),
        "colorbar": bar,
        "hovertemplate": f"%{{{'z' if same else 'customdata'}:.4g}}<extra></extra>",
    }


def _landmarks(drawn: go.Figure, record: Contour, column: int) -> None:
    rows = evenly(len(record.results), 300)
    kinds: list[tuple[str, Sequence[Trial], dict[str, object]]] = [
        (
            "results",
            [record.results[i] for i in rows],
            {"size": 6, "color": "rgba(255,255,255,0.75)", "line": {"width": 1, "color": "#444"}},
        ),
        ("busy now", record.busy, {"size": 10, "symbol": "triangle-up", "color": RED}),
        (
            "the best",
            [record.incumbent],
            {"size": 14, "symbol": "star", "color": ORANGE, "line": {"width": 1, "color": "white"}},
        ),
    ]
    for name, trials, marker in kinds:
        if trials:
            texts = [f"trial {t.number}" + ("" if t.value is None else f": {t.value:.5g}") for t in trials]
            drawn.add_scatter(
                x=record.x.places(t.params or {} for t in trials),
                y=record.y.places(t.params or {} for t in trials),
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=column == 1,
                marker=marker,
                hovertext=texts,
                hoverinfo="text",
                row=1,
                col=column,
            )
