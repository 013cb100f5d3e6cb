"""Parallel coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from nonstop.history.coordinates import Parallel
from nonstop.history.scale import Scale
from nonstop.plots.plotly import go
from nonstop.plots.style import EMPHASIS, NOTHING, compact, empty, figure, label, plain
from nonstop.types import Array

_WIDEST = 12  # characters of an axis name when there are many


def parallel(record: Parallel) -> go.Figure:
    """One line for each result across the axes of all parameters and of the value."""
    if not len(record.values):
        return empty(NOTHING)
    few = "" if len(record.values) == record.of else f" ({len(record.values):,} of {record.of:,} results)"
    drawn = figure(
        f"Good results are orange: where do they agree?{few}", 460, margin={"l": 70, "r": 90, "t": 100, "b": 36}
    )
    crowded = len(record.scales) > 8
    low, high = _range(record.values)
    drawn.add_parcoords(
        line={
            "color": record.values,
            "colorscale": EMPHASIS,
            "reversescale": record.direction == "minimize",
            "cmin": low,
            "cmax": high,
            "showscale": True,
            "colorbar": {"thickness": 10, "outlinewidth": 0, "tickformat": ".3~g"},
        },
        dimensions=[
            *(_dimension(scale, record.places[:, axis], crowded) for axis, scale in enumerate(record.scales)),
            {
                "label": "value",
                "values": record.values,
                "range": _padded(float(record.values.min()), float(record.values.max())),
            },
        ],
        labelangle=-30 if crowded else 0,
        unselected={"line": {"opacity": 0.06}},
    )
    return drawn


def _dimension(scale: Scale, places: Array, crowded: bool) -> dict[str, Any]:
    name = label(scale.name, _WIDEST if crowded else 20)
    if scale.kind == "choices":
        # Plotly does not interpret HTML in these labels, so they are not escaped.
        return {
            "label": name,
            "values": places,
            "range": _padded(scale.low, scale.high),
            "tickvals": list(range(len(scale.choices))),
            "ticktext": [plain(word, 12) for word in scale.labels],
        }
    if scale.kind == "linear":
        return {"label": name, "values": compact(places), "range": [scale.low, scale.high]}
    low, high = np.log10([scale.low, scale.high]).tolist()
    ticks = log_ticks(low, high)
    return {
        "label": name,
        "values": compact(np.log10(places)),
        "range": [low, high],
        "tickvals": ticks,
        "ticktext": [f"{10.0**tick:.4g}" for tick in ticks],
    }


def log_ticks(low: float, high: float) -> list[float]:
    """Exponents to label between two exponents: whole powers of ten, and both ends if there are fewer than two."""
    first, last = int(np.ceil(low - 1e-9)), int(np.floor(high + 1e-9))
    step = max(1, (last - first) // 6)
    whole = [float(power) for power in range(first, last + 1, step)]
    return whole if len(whole) >= 2 else [low, high]


def _padded(low: float, high: float) -> list[float]:
    """A range of positive length, even if all values are the same."""
    return [low, high] if high > low else [low - 0.5, high + 0.5]


def _range(values: Array) -> list[float]:
    """The range of the colours, without outliers, which would leave one colour for all other results."""
    low, high = np.quantile(values, [0.02, 0.9]).tolist() if len(values) > 10 else (values.min(), values.max())
    return _padded(float(low), float(high))
