"""Axes of values: their range, and a switch between the usual values and all of them.

The title of a figure and its note are in `layout.meta`, and the switch is the only menu of its layout: pages take them
out of the figure and show them as text and as a button, which can be as long as they like and be read aloud.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nonstop.history.window import Beyond, Window, scaled
from nonstop.plots.plotly import go
from nonstop.plots.style import log_axis
from nonstop.plots.words import count, number

#: Room at both ends of an axis, as a share of its length.
_ROOM = 0.06
#: Most labels of an axis of values across a panel, where they are side by side.
ACROSS = 4
_FEWER, _ALL = "the usual values", "all values"


def value_axis(window: Window, most: int = 8, room: float = _ROOM) -> dict[str, Any]:
    """The axis of a window, with at most `most` labels and some room at its ends."""
    low, high = scaled(np.array([window.low, window.high]), window.kind).tolist()
    # Halves, because differences of the largest numbers overflow.
    space = 2.0 * room * (0.5 * high - 0.5 * low) or room * abs(low) or 0.5
    ticks = {"type": "linear", "tickmode": "auto", "tickvals": None, "ticktext": None, "nticks": min(most, 6)}
    if window.kind == "log":
        ticks |= log_axis(np.array([window.low, window.high]), most)
    return {**ticks, "range": [low - space, high + space]}


def beyond_note(what: str, beyond: Beyond, window: Window, more: str | None = None) -> str:
    """7 values beyond the axis, up to 1.8e4; nothing if there is none."""
    if beyond.furthest is None:
        return ""
    side = "up" if beyond.furthest > window.high else "down"
    return f"{count(beyond.count, what, more)} beyond the axis, {side} to {number(beyond.furthest)}"


def noted(drawn: go.Figure, *notes: str, width: int = 0) -> go.Figure:
    """The figure with its title as plain text, with notes for the reader, and with the least width in pixels at which
    it is legible."""
    title = html.unescape(drawn.layout.title.text or "")
    meta = {"title": title, "note": " · ".join(note for note in notes if note), "width": width}
    return drawn.update_layout(meta=meta)


def switched(drawn: go.Figure, axes: Mapping[str, tuple[Window, Window]], marks: Sequence[int] = ()) -> go.Figure:
    """The figure with a switch between two windows of each axis, its usual one and that of all values. `marks` are the
    traces that stand for what is beyond the axis; they are hidden while all is shown."""
    if all(usual == full for usual, full in axes.values()):
        return drawn
    buttons = [
        {
            "label": name,
            "method": "update",
            "args": [{"visible": side == 0} if marks else {}, _flat(axes, side), list(marks)],
        }
        for side, name in enumerate((_FEWER, _ALL))
    ]
    menu = {"type": "buttons", "direction": "right", "buttons": buttons, "active": 0, "showactive": True}
    place = {"x": 1.0, "xanchor": "right", "y": 1.0, "yanchor": "bottom", "pad": {"b": 6}, "font": {"size": 11}}
    return drawn.update_layout(updatemenus=[{**menu, **place}])


def _flat(axes: Mapping[str, tuple[Window, Window]], side: int) -> dict[str, Any]:
    return {
        f"{axis}.{key}": value
        for axis, ends in axes.items()
        for key, value in value_axis(ends[side], ACROSS if axis.startswith("x") else 8).items()
    }
