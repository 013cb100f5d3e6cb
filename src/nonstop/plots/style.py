"""One visual language for all figures: colours, template, and how text from users becomes harmless.

Colours are Okabe and Ito's, which people with any colour vision tell apart. Backgrounds are transparent and greys
neutral, so that figures sit on a light page as well as on a dark one; the font is the page's own.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonstop.history.scale import Scale
from nonstop.plots.plotly import go
from nonstop.trials.trial import Trial
from nonstop.types import Array, Value
from nonstop.wording import scalar

ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, RED, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A8F98"
#: For lines that stand for things of one kind, in this order. Yellow is left out: on white it is no line.
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED)
FAINT = "rgba(128,128,128,0.22)"
#: Most characters of a user's word in a label, and most params in a hover text.
WORD, PARAMS = 28, 8
#: A scale from dark to light that looks the same to all, and in print.
SCALE = "Cividis"
#: From what recedes to what stands out, on light and dark pages alike.
EMPHASIS = ((0.0, "#A3A9B1"), (0.6, "#C9A35A"), (0.85, "#E69F00"), (1.0, "#D55E00"))
#: How pages show figures: Plotly may send nothing anywhere.
CONFIG = {"responsive": True, "displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}
#: The ticks of a log axis as plain numbers: 0.01, 0.1, 1.
LOG_TICKS = ".2~g"

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
        # At the foot of the figure, where it may grow: on a phone it has many lines.
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
    drawn.update_layout(template=TEMPLATE, title_text=title, height=height, **layout)
    return drawn


def empty(message: str) -> go.Figure:
    """No axes, one friendly sentence."""
    drawn = figure("", 240, margin={"l": 16, "r": 16, "t": 16, "b": 16})
    drawn.update_xaxes(visible=False)
    drawn.update_yaxes(visible=False)
    return drawn.add_annotation(
        text=message, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font={"size": 15}
    )


NOTHING, NO_REASON = "no completed trial yet", "no reason given"


def plain(text: object, most: int = WORD) -> str:
    """A user's word on one line and not too long; for places where Plotly draws text as it is. Long names often differ
    only at the end, so it is the middle that goes."""
    line = " ".join(str(text).split())
    tail = most // 3
    return line if len(line) <= most else f"{line[: most - 1 - tail]}…{line[-tail:]}"


def label(text: object, most: int = WORD) -> str:
    """The same for places where Plotly reads HTML: no word of a user may become a tag, a link or an entity."""
    return html.escape(plain(text, most), quote=False)


def about(trial: Trial, *more: str) -> str:
    """The hover text of one trial: its number, whatever more there is to say, and its params."""
    head = f"<b>trial {trial.number}</b>" + (f" · attempt {trial.attempt}" if trial.attempt > 1 else "")
    params = [f"{label(name)} = {_cell(value)}" for name, value in list((trial.params or {}).items())[:PARAMS]]
    return "<br>".join([head, *more, *params, *(["…"] if len(trial.params or {}) > PARAMS else [])])


def hover(trials: Sequence[Trial], **columns: Sequence[float] | Array) -> dict[str, Any]:
    """The hover texts of many trials: number, columns and params, as a table and one template for all of its rows.
    A thousand texts would weigh ten times as much."""
    params = list(trials[0].params or {}) if trials else []
    shown = params[:PARAMS]
    table = [
        [trial.number, *map(float, row), *(_cell((trial.params or {}).get(name)) for name in shown)]
        for trial, *row in zip(trials, *columns.values(), strict=True)
    ]
    numeric = not any(isinstance(cell, str) for row in table for cell in row)
    form = ":.5~g" if numeric else ""  # a format would spoil words; the numbers beside them are rounded already
    lines = [f"{name.replace('_', ' ')} %{{customdata[{i}]:.5~g}}" for i, name in enumerate(columns, start=1)]
    cells = [f"{_name(name)} = %{{customdata[{i}]{form}}}" for i, name in enumerate(shown, start=1 + len(columns))]
    more = ["…"] if len(params) > PARAMS else []
    return {
        "customdata": compact(np.array(table, dtype=np.float64), spread=0.0)
        if numeric
        else np.array(table, dtype=object),
        "hovertemplate": "<br>".join(["<b>trial %{customdata[0]:d}</b>", *lines, *cells, *more]) + "<extra></extra>",
    }


def _cell(value: Value) -> float | str:
    """A value of a parameter, short and harmless."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    return value if isinstance(value, int) and not isinstance(value, bool) else label(scalar(value), 20)


def _name(name: str) -> str:
    """A name in a template, where %{ would begin a variable."""
    return label(name, 20).replace("%", "&#37;")


def compact(numbers: Array, spread: float = 1e-3) -> NDArray[np.float32] | Array:
    """In single precision, if no one sees the difference on a screen: figures weigh half as much. Numbers that it
    cannot hold stay as they are, and so do those that differ by less than `spread` of their size."""
    with np.errstate(over="ignore", under="ignore"):
        small = numbers.astype(np.float32)
    if not np.isfinite(small).all() or ((small == 0.0) & (numbers != 0.0)).any():
        return numbers
    low, high = float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0))
    differ = float(np.ptp(numbers)) if numbers.size else 0.0
    return small if differ >= spread * max(-low, high) else numbers


def between(middle: Array, low: Array, high: Array, **look: Any) -> dict[str, Any]:
    """An error bar from low to high."""
    return {"array": high - middle, "arrayminus": middle - low, "symmetric": False, "width": 0, **look}


def reaching(shown: Array, bands: Array) -> list[float]:
    """The range of an axis that shows all of the one, and of the other what lies up to half as far beyond: a band may
    reach as far as the model is unsure, and then nothing else could be told apart."""
    low, high = float(shown.min()), float(shown.max())
    beyond = 0.5 * (high - low) or math.inf
    low, high = max(low - beyond, min(low, float(bands.min()))), min(high + beyond, max(high, float(bands.max())))
    room = 0.07 * (high - low) or 0.5
    return [low - room, high + room]


def log_axis(numbers: Array) -> dict[str, Any]:
    """A log axis for positive numbers that labels powers of ten, and a few numbers between them if there is room."""
    there = numbers[np.isfinite(numbers) & (numbers > 0.0)]
    low, high = (float(there.min()), float(there.max())) if len(there) else (1.0, 1.0)
    steps = (1,) if high / low > 300.0 else (1, 3) if high / low > 20.0 else (1, 2, 5)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [tick for power in powers for step in steps if low / 3.0 <= (tick := step * 10.0**power) <= 3.0 * high]
    shown = ticks[:: 1 + len(ticks) // 8]
    return {"type": "log", "tickmode": "array", "tickvals": shown, "ticktext": [f"{tick:.3g}" for tick in shown]}


def axis_of(scale: Scale) -> dict[str, Any]:
    """The axis of a parameter: its title, and its own scale or choices."""
    if scale.kind == "linear":
        return {"title_text": label(scale.name), "type": "linear"}
    if scale.kind == "log":
        wide = scale.high / scale.low > 30.0  # else there may be no power of ten to label
        ticks = {"dtick": 1, "exponentformat": "power"} if wide else {"tickformat": LOG_TICKS}
        return {"title_text": label(scale.name), "type": "log", **ticks}
    return {
        "title_text": label(scale.name),
        "type": "linear",
        "tickmode": "array",
        "tickvals": list(range(len(scale.choices))),
        "ticktext": [label(choice, 16) for choice in scale.labels],
        "range": [-0.5, len(scale.choices) - 0.5],
    }


def bounded(scale: Scale, margin: float = 0.0) -> dict[str, Any]:
    """The axis of a parameter from its lower to its upper bound, and a little more."""
    axis = axis_of(scale)
    if scale.kind == "choices":
        return axis
    low, high = (math.log10(end) if scale.kind == "log" else end for end in (scale.low, scale.high))
    room = margin * (high - low)
    return {**axis, "range": [low - room, high + room]}
