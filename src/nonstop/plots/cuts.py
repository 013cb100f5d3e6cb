"""Slices and contours of the model through the incumbent."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nonstop.history.cuts import Contour, Slice, Slices
from nonstop.history.scale import evenly
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
    compact,
    empty,
    label,
    reaching,
    styled,
)
from nonstop.trials.trial import Trial

MOST = 120  # results to draw in each slice: the closest ones
_BAND = "rgba(0,114,178,0.18)"
_NEAR = 0.02  # results less close to a slice than this are not drawn in it
_PANEL, _STRIP, _GAP = 180, 44, 76  # heights, in pixels


def slices(record: Slices | None) -> go.Figure:
    """The model along each parameter, with the acquisition below it."""
    if record is None or record.incumbent is None:
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
    for index, cut in enumerate(record.slices):
        row, column = index // columns * len(heights) // rows + 1, index % columns + 1
        _model(drawn, record, cut, row, column, first=index == 0)
        if strips:
            _strip(drawn, cut, row + 1, column, first=index == 0, rule=record.rule or "")
    few = (
        ""
        if len(record.slices) == record.of
        else f" · the {len(record.slices)} most relevant of {record.of} parameters"
    )
    styled(
        drawn, f"The model around the best, trial {record.incumbent.number}{few}", sum(heights) + 110, margin={"b": 10}
    )
    return drawn


def _model(drawn: go.Figure, record: Slices, cut: Slice, row: int, column: int, first: bool) -> None:
    """Mean, band, the results near the slice, and where the incumbent and the busy points are."""
    where = {"row": row, "col": column}
    if cut.scale.kind == "choices":
        drawn.add_scatter(
            x=cut.at,
            y=cut.mean,
            mode="markers",
            name="mean",
            showlegend=first,
            legendgroup="mean",
            marker={"color": BLUE, "size": 9, "symbol": "line-ew", "line": {"width": 3, "color": BLUE}},
            error_y=between(cut.mean, cut.low, cut.high, color=_BAND, thickness=14),
            **where,
        )
    else:
        drawn.add_scatter(
            x=compact(np.concatenate([cut.at, cut.at[::-1]])),
            y=compact(np.concatenate([cut.high, cut.low[::-1]])),
            fill="toself",
            mode="none",
            fillcolor=_BAND,
            name="95 %",
            showlegend=first,
            legendgroup="band",
            hoverinfo="skip",
            **where,
        )
        drawn.add_scatter(
            x=cut.at,
            y=cut.mean,
            mode="lines",
            line={"color": BLUE, "width": 2},
            name="mean",
            showlegend=first,
            legendgroup="mean",
            hovertemplate="%{x:.4g}: mean %{y:.4g}<extra></extra>",
            **where,
        )
    _results(drawn, record, cut, where, first)
    _busy(drawn, record, cut, where, first)
    hidden = {} if record.rule is None else {"title_text": "", "showticklabels": False, "ticks": ""}
    drawn.update_xaxes(**{**bounded(cut.scale, 0.03), **hidden}, **where)
    left = {"title_text": "value"} if column == 1 else {"showticklabels": False, "ticks": ""}
    drawn.update_yaxes(range=_height(record), **left, **where)


def _height(record: Slices) -> list[float]:
    """The common range of all slices: means, results near a slice, and part of the bands (see reaching())."""
    near = [record.values[cut.closeness > _NEAR] for cut in record.slices]
    shown = np.concatenate([*near, *(cut.mean for cut in record.slices)])
    return reaching(shown, np.concatenate([side for cut in record.slices for side in (cut.low, cut.high)]))


def _results(drawn: go.Figure, record: Slices, cut: Slice, where: dict[str, int], first: bool) -> None:
    """The results near the slice, fainter with distance; far ones would only stretch the axis."""
    order = np.argsort(-cut.closeness, kind="stable")[:MOST]
    rows = order[cut.closeness[order] > _NEAR]
    best = next(i for i, trial in enumerate(record.results) if trial is record.incumbent)
    drawn.add_scatter(
        x=compact(cut.data[rows]),
        y=compact(record.values[rows]),
        mode="markers",
        name="results (faint: far away)",
        showlegend=first,
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
        showlegend=first,
        legendgroup="best",
        marker={"size": 13, "symbol": "star", "color": ORANGE, "line": {"width": 1, "color": "white"}},
        hovertext=about(record.results[best], f"value {record.values[best]:.5g}"),
        hoverinfo="text",
        **where,
    )


def _busy(drawn: go.Figure, record: Slices, cut: Slice, where: dict[str, int], first: bool) -> None:
    """Busy points, at the bottom because they have no value yet."""
    if len(cut.busy):
        rows = evenly(len(cut.busy), MOST)
        low, high = _height(record)
        drawn.add_scatter(
            x=cut.busy[rows],
            y=np.full(len(rows), low + 0.04 * (high - low)),
            mode="markers",
            name="busy now",
            showlegend=first,
            legendgroup="busy",
            marker={"size": 10, "symbol": "triangle-up", "color": RED},
            hovertext=[about(record.busy[i]) for i in rows],
            hoverinfo="text",
            **where,
        )


def _strip(drawn: go.Figure, cut: Slice, row: int, column: int, first: bool, rule: str) -> None:
    """The acquisition, below the model: the next trial is proposed where it is high."""
    assert cut.acquisition is not None
    name = f"acquisition ({label(rule)})"
    if cut.scale.kind == "choices":
        drawn.add_bar(
            x=cut.at,
            y=compact(cut.acquisition),
            marker={"color": GREEN, "opacity": 0.5},
            name=name,
            showlegend=first,
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
            showlegend=first,
            legendgroup="acquisition",
            hoverinfo="skip",
            row=row,
            col=column,
        )
    drawn.update_xaxes(**bounded(cut.scale, 0.03), row=row, col=column)
    drawn.update_yaxes(range=[0, 1.05], showticklabels=False, ticks="", showgrid=False, row=row, col=column)


def contour(record: Contour | None) -> go.Figure:
    """Mean and standard deviation of the model over two parameters."""
    if record is None:
        return empty("nothing to show: this needs two parameters and a completed trial")
    drawn = make_subplots(
        rows=1, cols=2, horizontal_spacing=0.16, subplot_titles=["the model's mean", "its standard deviation"]
    )
    for column, (z, colours) in enumerate(((record.mean, SCALE), (record.sd, "Greys")), start=1):
        bar = {
            "len": 1.0,
            "thickness": 10,
            "x": 0.425 if column == 1 else 1.005,
            "outlinewidth": 0,
            "tickformat": ".3~g",
        }
        grid = {
            "x": record.at_x,
            "y": record.at_y,
            "z": compact(z),
            "colorscale": colours,
            "colorbar": bar,
            "hovertemplate": "%{z:.4g}<extra></extra>",
        }
        smooth = "choices" not in (record.x.kind, record.y.kind)
        surface = go.Contour(**grid, line={"width": 0.5}, ncontours=16) if smooth else go.Heatmap(**grid)
        drawn.add_trace(surface, row=1, col=column)
        _landmarks(drawn, record, column)
        drawn.update_xaxes(**bounded(record.x), showgrid=False, row=1, col=column)
        drawn.update_yaxes(
            **{**bounded(record.y), **({"title_text": "", "showticklabels": False} if column == 2 else {})},
            showgrid=False,
            row=1,
            col=column,
        )
    title = f"{label(record.x.name)} and {label(record.y.name)}, all others as in trial {record.incumbent.number}"
    styled(drawn, title, 460, margin={"t": 76})
    drawn.update_annotations(font={"size": 13})
    return drawn


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
