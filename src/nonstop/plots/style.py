"""The common style of all figures: colours, template, axes, hover texts, and escaping of text from users.

Colours are those of Okabe and Ito, which people with any colour vision can distinguish. Backgrounds are transparent and
greys neutral, so that figures are readable on light and on dark pages; the font is that of the page.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonstop.history.scale import Scale
from nonstop.outcomes.bound import Bound
from nonstop.plots.plotly import go
from nonstop.plots.words import escaped, fitting, label, number
from nonstop.trials.trial import Trial
from nonstop.types import Array, Value
from nonstop.wording import scalar

ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, RED, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A8F98"
#: For several lines of one kind, in this order. Yellow is left out: it is hardly visible on white.
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED)
FAINT = "rgba(128,128,128,0.22)"
#: The mark of a result that violates a constraint.
INFEASIBLE = {"symbol": "circle-open", "size": 7, "color": PURPLE, "opacity": 0.9, "line": {"width": 1.5}}
#: Most params in a hover text.
PARAMS = 8
#: Characters that fit along the axis of a panel.
WIDTH = 28
#: A scale from dark to light for any colour vision, and for print.
SCALE = "Cividis"
#: From grey for bad results to orange for good ones, on light and dark pages.
EMPHASIS = ((0.0, "#A3A9B1"), (0.6, "#C9A35A"), (0.85, "#E69F00"), (1.0, "#D55E00"))
#: Plotly's options on pages; nothing is sent to a server.
CONFIG = {"responsive": True, "displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}

_AXIS = {
    "gridcolor": "rgba(128,128,128,0.16)",
    "linecolor": "rgba(128,128,128,0.45)",
    "zeroline": False,
    "ticks": "outside",
    "ticklen": 4,
    "tickcolor": "rgba(128,128,128,0.45)",
    "automargin": True,
    "title": {"standoff": 8, "font": {"size": 13}},
}
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": "inherit", "size": 13, "color": "#767C85"},
        "title": {"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top",
                  "pad": {"l": 8, "t": 10}, "font": {"size": 15}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(CYCLE),
        "margin": {"l": 64, "r": 24, "t": 56, "b": 52},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        # Below the figure, where it can grow: on a phone it has many lines.
        "legend": {"orientation": "h", "xref": "container", "x": 0, "xanchor": "left", "yref": "container", "y": 0,
                   "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)"},
        "hoverlabel": {"align": "left", "font": {"size": 12}},
        "hovermode": "closest",
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "rgba(128,128,128,0.55)", "activecolor": BLUE,
                    "remove": ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"]},
        "bargap": 0.25,
    }
)  # fmt: skip


def figure(title: str, height: int, **layout: Any) -> go.Figure:
    """A figure without traces yet."""
    return styled(go.Figure(), title, height, **layout)


def styled(drawn: go.Figure, title: str, height: int, **layout: Any) -> go.Figure:
    """The figure with the template, a title and a height; its legend names only what is drawn, and each thing once."""
    seen: set[str] = set()
    for trace in drawn.data:
        group = trace.legendgroup if "legendgroup" in trace else None
        if "showlegend" not in trace or not trace.name or (trace.showlegend is False and not group):
            continue
        key = group or trace.name or ""
        trace.showlegend = _something(trace) and key not in seen
        seen |= {key} if trace.showlegend else set()
    drawn.update_layout(template=TEMPLATE, title_text=title, height=height, **layout)
    return drawn


def _something(trace: Any) -> bool:
    """Whether a trace draws anything."""
    y = np.asarray(trace.y, dtype=np.float64) if "y" in trace and trace.y is not None else np.empty(0)
    return bool(np.isfinite(y).any())


def empty(message: str) -> go.Figure:
    """A figure without data: one sentence, no axes."""
    drawn = figure("", 240, margin={"l": 16, "r": 16, "t": 16, "b": 16})
    drawn.update_xaxes(visible=False)
    drawn.update_yaxes(visible=False)
    return drawn.add_annotation(
        text=message, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font={"size": 15}
    )


NOTHING, NO_REASON = "no completed trial yet", "no reason given"


def about(trial: Trial, *more: str) -> str:
    """The hover text of one trial: its number, further lines, and its params."""
    head = f"<b>trial {trial.number}</b>" + (f" · attempt {trial.attempt}" if trial.attempt > 1 else "")
    params = [f"{label(name)} = {_cell(value)}" for name, value in list((trial.params or {}).items())[:PARAMS]]
    return "<br>".join([head, *more, *params, *(["…"] if len(trial.params or {}) > PARAMS else [])])


def hover(trials: Sequence[Trial], /, **columns: Sequence[float] | Array) -> dict[str, Any]:
    """The hover texts of many trials: number, columns and params, as a table and one template for all of its rows,
    which takes a tenth of the space of separate texts."""
    params = list(trials[0].params or {}) if trials else []
    shown = params[:PARAMS]
    table = [
        [trial.number, *map(float, row), *(_cell((trial.params or {}).get(name)) for name in shown)]
        for trial, *row in zip(trials, *columns.values(), strict=True)
    ]
    numeric = not any(isinstance(cell, str) for row in table for cell in row)
    form = ":.5~g" if numeric else ""  # a number format would break texts; numbers are rounded already
    lines = [f"{name.replace('_', ' ')} %{{customdata[{i}]:.5~g}}" for i, name in enumerate(columns, start=1)]
    cells = [f"{word(name)} = %{{customdata[{i}]{form}}}" for i, name in enumerate(shown, start=1 + len(columns))]
    more = ["…"] if len(params) > PARAMS else []
    return {
        "customdata": compact(np.array(table, dtype=np.float64), spread=0.0)
        if numeric
        else np.array(table, dtype=object),
        "hovertemplate": "<br>".join(["<b>trial %{customdata[0]:d}</b>", *lines, *cells, *more]) + "<extra></extra>",
    }


def _cell(value: Value) -> float | str:
    """A value of a parameter, rounded or shortened and escaped."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    return value if isinstance(value, int) and not isinstance(value, bool) else label(scalar(value), 20)


def told(trials: Sequence[Trial]) -> dict[str, Array]:
    """Columns of a hover text with what completed trials gave: the value, or their outcomes."""
    if not trials or not trials[0].outcomes:
        return {"value": np.array([trial.value for trial in trials], dtype=np.float64)}
    return {word(name): np.array([trial.outcomes[name] for trial in trials]) for name in trials[0].outcomes}


def word(name: str) -> str:
    """A user's name in a hover template, where %{ would begin a variable."""
    return label(name, 20).replace("%", "&#37;")


def compact(numbers: Array, spread: float = 1e-3) -> NDArray[np.float32] | Array:
    """In single precision, which halves the size of figures, unless the difference would be visible: numbers out of its
    range, or numbers whose range is less than `spread` of their size, stay in double precision."""
    with np.errstate(over="ignore", under="ignore"):
        small = numbers.astype(np.float32)
    if not np.isfinite(small).all() or ((small == 0.0) & (numbers != 0.0)).any():
        return numbers
    low, high = float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0))
    differ = float(np.ptp(numbers)) if numbers.size else 0.0
    return small if differ >= spread * max(-low, high) else numbers


def between(middle: Array, low: Array, high: Array, **style: Any) -> dict[str, Any]:
    """An error bar from low to high."""
    return {"array": high - middle, "arrayminus": middle - low, "symmetric": False, "width": 0, **style}


def bounded_by(drawn: go.Figure, bound: Bound, row: int, column: int) -> None:
    """A line at the bound, with the bound beside it."""
    text = {"text": f"{escaped(bound.side)} {number(bound.value)}", "font": {"size": 12, "color": PURPLE}}
    drawn.add_hline(
        y=bound.value,
        line={"color": PURPLE, "width": 1.5, "dash": "dash"},
        annotation={**text, "xanchor": "right", "yanchor": "bottom"},
        annotation_position="top right",
        row=row,
        col=column,
    )


def log_axis(numbers: Array, most: int = 8) -> dict[str, Any]:
    """A log axis with at most `most` labels: powers of ten, and numbers between them if the range is small."""
    positive = numbers[np.isfinite(numbers) & (numbers > 0.0)]
    low, high = (float(positive.min()), float(positive.max())) if len(positive) else (1.0, 1.0)
    ticks = log_ticks(low / 1.2, min(1.2 * high, sys.float_info.max), most)
    return {"type": "log", "tickmode": "array", "tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` numbers to label between two positive ones: powers of ten, every n-th if there are too many; with
    2 and 5, or 3, times them if there is room; evenly spaced numbers if the range is shorter than these."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    for steps in ((1, 2, 5), (1, 3)):
        ticks = [s * 10.0**p for p in range(first - 1, last + 1) for s in steps if low <= s * 10.0**p <= high]
        if 2 <= len(ticks) <= most:
            return ticks
    powers = [10.0**p for p in range(first, last + 1, max(1, -(-(last + 1 - first) // most)))]
    if len(powers) >= 2:
        return powers
    return [float(f"{tick:.2g}") for tick in np.geomspace(low, high, min(most, 5))[1:-1]]


def axis_of(scale: Scale, width: int = WIDTH) -> dict[str, Any]:
    """The axis of a parameter, its title and its scale or choices, on `width` characters of room."""
    title = label(scale.label, width)
    if scale.kind == "linear":
        whole = {"tickformat": "~s"} if max(abs(scale.low), abs(scale.high)) >= 1e4 else {}
        return {"title_text": title, "type": "linear", "nticks": 5, "tickangle": 0, **whole}
    if scale.kind == "log":
        return {"title_text": title, "tickangle": 0, **log_axis(np.array([scale.low, scale.high]), max(3, width // 7))}
    shown = [round(at) for at in np.linspace(0, len(scale.choices) - 1, min(len(scale.choices), max(2, width // 4)))]
    return {
        "title_text": title,
        "type": "linear",
        "tickmode": "array",
        "tickvals": shown,
        "ticktext": [escaped(word) for word in fitting([scale.labels[at] for at in shown], width)],
        "tickangle": 0,
        "range": [-0.5, len(scale.choices) - 0.5],
    }


def bounded(scale: Scale, margin: float = 0.0, width: int = WIDTH) -> dict[str, Any]:
    """The axis of a parameter from its lower to its upper bound, and a margin."""
    axis = axis_of(scale, width)
    if scale.kind == "choices":
        return axis
    low, high = (math.log10(end) if scale.kind == "log" else end for end in (scale.low, scale.high))
    room = margin * (high - low)
    return {**axis, "range": [low - room, high + room]}
