"""Parallel coordinates as plain lines. Plotly's own parallel coordinates compile shaders from text at run time, which
the security policy of the dashboard forbids."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from plotly.colors import sample_colorscale

from nonstop.history.coordinates import Parallel
from nonstop.history.scale import Scale
from nonstop.plots.coordinates import ABSENT, APART, column_scale, notes_of, title_of
from nonstop.plots.plotly import go
from nonstop.plots.style import EMPHASIS, FAINT, NOTHING, empty, figure
from nonstop.plots.values import noted
from nonstop.plots.words import distinct, escaped, number
from nonstop.types import Array

#: Shades from the worst results to the best. The lines of a shade are one trace, which makes drawing fast.
_SHADES: Final = 8
#: With more axes than this, names are shortened and tilted.
_CROWDED: Final = 8
#: So are they beside outcomes if the longest name could not stand this often in a row of this many characters.
_CHARACTERS: Final = 80
#: The height of values that are not there.
_BELOW: Final = -0.18


def lines(record: Parallel) -> go.Figure:
    """The figure."""
    if record.window is None:
        return empty(NOTHING)
    drawn = figure(title_of(record), 460, showlegend=False)
    window = record.window
    value = Scale(record.name, window.kind, window.low, window.high if window.high > window.low else window.low + 1.0)
    scales = (*record.scales, *(column_scale(column) for column in record.columns), value)
    others = [column.window.clip(column.values) for column in record.columns]
    places = np.column_stack([record.places, *others, window.clip(record.values)])
    heights = np.column_stack([height(scale, places[:, axis]) for axis, scale in enumerate(scales)])
    feasible = np.array_split(np.arange(record.infeasible, len(heights)), _SHADES)
    for shade, rows in ((0, np.arange(record.infeasible)), *enumerate(feasible)):
        if len(rows):
            drawn.add_scatter(**_bundle(heights[rows], [record.numbers[row] for row in rows], shade))
    longest = max(len(scale.label) for scale in scales)
    crowded = len(scales) > _CROWDED or (len(record.columns) > 0 and longest * len(scales) > _CHARACTERS)
    _axes(drawn, scales, crowded, [bool(np.isnan(column).any()) for column in places.T])
    return noted(drawn, *notes_of(record), width=APART * len(scales))


def height(scale: Scale, places: Array) -> Array:
    """The heights of values on their axis, from 0 to 1; of what is not there, below it."""
    ends, missing = np.array([scale.low, scale.high]), np.isnan(places)
    if scale.kind == "log":
        ends, places = np.log10(ends), np.log10(places)
    heights = (places - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else np.full(len(places), 0.5)
    return np.where(missing, _BELOW, heights)


def _bundle(heights: Array, numbers: list[int], shade: int) -> dict[str, Any]:
    """All lines of one shade as one trace, with a gap after each line."""
    n, axes = heights.shape
    gap = np.full((n, 1), np.nan)
    part = (shade + 1) / _SHADES
    return {
        "x": np.tile(np.append(np.arange(axes, dtype=float), np.nan), n),
        "y": np.hstack([heights, gap]).ravel(),
        "mode": "lines",
        "line": {"color": sample_colorscale([list(stop) for stop in EMPHASIS], part)[0], "width": 1.0 + 0.8 * part},
        "opacity": 0.25 + 0.65 * part**2,
        "customdata": np.repeat(numbers, axes + 1),
        "hovertemplate": "trial %{customdata}<extra></extra>",
    }


def _axes(drawn: go.Figure, scales: tuple[Scale, ...], crowded: bool, missing: list[bool]) -> None:
    for axis in range(len(scales)):
        drawn.add_shape(type="line", x0=axis, x1=axis, y0=0, y1=1, line={"color": FAINT, "width": 1}, layer="below")
    for y, words in ((0.0, [_ends(scale)[0] for scale in scales]), (1.0, [_ends(scale)[1] for scale in scales])):
        for axis, word in enumerate(words):
            shift = {"yshift": -10 if y == 0.0 else 10, "font": {"size": 11}}
            drawn.add_annotation(x=axis, y=y, text=word, showarrow=False, **shift)
    for axis in np.flatnonzero(missing).tolist():
        drawn.add_annotation(x=axis, y=_BELOW, text=ABSENT, showarrow=False, yshift=-8, font={"size": 11})
    names = [escaped(name) for name in distinct([scale.label for scale in scales], 14 if crowded else 20)]
    drawn.update_xaxes(
        tickmode="array",
        tickvals=list(range(len(scales))),
        ticktext=names,
        showgrid=False,
        ticks="",
        tickangle=30 if crowded else 0,
        ticklabelstandoff=14,
    )
    drawn.update_yaxes(visible=False, range=[_BELOW - 0.08 if any(missing) else -0.08, 1.08])


def _ends(scale: Scale) -> tuple[str, str]:
    if scale.kind == "choices":
        first, last = distinct([scale.labels[0], scale.labels[-1]], 10)
        return escaped(first), escaped(last)
    return number(scale.low), number(scale.high)
