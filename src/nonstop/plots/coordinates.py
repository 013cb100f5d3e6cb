"""Parallel coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonstop.history.coordinates import Column, Parallel
from nonstop.history.scale import Scale
from nonstop.history.window import Beyond, Window, scaled
from nonstop.outcomes.goals import VALUE
from nonstop.plots.plotly import go
from nonstop.plots.style import EMPHASIS, NOTHING, compact, empty, figure, log_ticks
from nonstop.plots.values import beyond_note, noted
from nonstop.plots.words import count, distinct, fitting, label, number
from nonstop.types import Array

#: Pixels between two axes, at least, and characters of a name: more if there are few axes.
APART, _WIDEST, _CROWDED = 76, 14, 8
#: What stands in the place of a value that is not there.
ABSENT = "–"


def parallel(record: Parallel) -> go.Figure:
    """One line for each result across the axes of all parameters and of the value, or of all outcomes."""
    if record.window is None:
        return empty(NOTHING)
    others = [column_scale(column) for column in record.columns]
    crowded = len(record.scales) + len(others) > _CROWDED
    drawn = figure(title_of(record), 460, margin={"l": 70, "r": 90, "t": 110 if crowded else 90, "b": 36})
    shown = scaled(record.window.clip(record.values), record.window.kind)
    low, high = _range(shown)
    widest = _WIDEST if crowded else 20
    names = distinct([scale.label for scale in (*record.scales, *others)], widest)
    value = _value(record.window, shown, label(record.name, widest))
    colours = shown.copy()
    colours[: record.infeasible] = high if record.direction == "minimize" else low
    places = [*record.places.T, *(column.window.clip(column.values) for column in record.columns)]
    drawn.add_parcoords(
        line={
            "color": colours,
            "colorscale": EMPHASIS,
            "reversescale": record.direction == "minimize",
            "cmin": low,
            "cmax": high,
            "showscale": True,
            "colorbar": {
                "thickness": 10,
                "outlinewidth": 0,
                "tickformat": ".3~g",
                **{key: ticks for key, ticks in value.items() if key.startswith("tick")},
            },
        },
        dimensions=[
            *(
                _dimension(scale, name, at)
                for scale, name, at in zip((*record.scales, *others), names, places, strict=True)
            ),
            value,
        ],
        labelangle=-30 if crowded else 0,
        unselected={"line": {"opacity": 0.06}},
    )
    return noted(drawn, *notes_of(record), width=APART * (len(names) + 1))


def title_of(record: Parallel) -> str:
    """What the colours say, and how many results there are."""
    few = "" if len(record.values) == record.of else f" ({len(record.values):,} of {record.of:,} results)"
    if record.note:
        return f"The colour is {label(record.name)}: small is orange{few}"
    by = "" if record.name == VALUE else f", by {label(record.name)}"
    return f"Good results are orange{by}: where do they agree?{few}"


def notes_of(record: Parallel) -> tuple[str, ...]:
    """What is drawn otherwise than it is."""
    out = record.window.beyond(record.values) if record.window is not None else Beyond()
    beyond = "" if record.window is None else beyond_note("value", out, record.window)
    infeasible = f"{count(record.infeasible, 'infeasible result')} in grey" if record.infeasible else ""
    return beyond and f"{beyond}, drawn at its end", infeasible


def column_scale(column: Column) -> Scale:
    """The axis of an outcome or a note."""
    low, high = column.window.low, column.window.high
    if low == high:  # room on both sides
        low, high = (low / 2.0, high * 2.0) if column.window.kind == "log" else _padded(low, high)
    return Scale(column.name, column.window.kind, low, high)


def _value(window: Window, shown: Array, name: str) -> dict[str, Any]:
    """The axis of the value."""
    ends = _padded(*scaled(np.array([window.low, window.high]), window.kind).tolist())
    axis = {"label": name, "values": shown, "range": ends}
    return axis | (_log_ticks(window.low, window.high) if window.kind == "log" else {})


def _dimension(scale: Scale, name: str, places: Array) -> dict[str, Any]:
    # Plotly interprets HTML in names of axes, but not in their ticks.
    axis = {"label": label(name, len(name))}
    missing = np.isnan(places)
    if missing.any():
        return _with_absent(scale, axis, places, missing)
    if scale.kind == "choices":
        return axis | {
            "values": places,
            "range": _padded(scale.low, scale.high),
            "tickvals": list(range(len(scale.choices))),
            "ticktext": fitting(scale.labels, 12 * len(scale.choices), 8),
        }
    if scale.kind == "linear":
        return axis | {"values": compact(places), "range": [scale.low, scale.high]}
    ends = np.log10([scale.low, scale.high]).tolist()
    return axis | {"values": compact(np.log10(places)), "range": ends, **_log_ticks(scale.low, scale.high)}


def _with_absent(scale: Scale, axis: dict[str, Any], places: Array, missing: NDArray[np.bool_]) -> dict[str, Any]:
    """An axis with a place of its own, below all values, for results without this parameter."""
    given = _dimension(scale, scale.label, np.where(missing, scale.low, places))
    low, high = _padded(*given["range"])
    below = low - 0.15 * (high - low)
    values = np.where(missing, below, given["values"])
    if "tickvals" not in given:
        ticks = np.linspace(low, high, 5).tolist()
        given |= {"tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}
    ticks = {"tickvals": [below, *given["tickvals"]], "ticktext": [ABSENT, *given["ticktext"]]}
    return given | axis | {"values": compact(values), "range": [below, high]} | ticks


def _log_ticks(low: float, high: float) -> dict[str, Any]:
    ticks = log_ticks(low, high, 7)
    return {"tickvals": [math.log10(tick) for tick in ticks], "ticktext": [number(tick) for tick in ticks]}


def _padded(low: float, high: float) -> list[float]:
    """A range of positive length, even if all values are the same."""
    return [low, high] if high > low else [low - 0.5, high + 0.5]


def _range(values: Array) -> list[float]:
    """The range of the colours, without outliers, which would leave one colour for all other results."""
    low, high = np.quantile(values, [0.02, 0.9]).tolist() if len(values) > 10 else (values.min(), values.max())
    return _padded(float(low), float(high))
