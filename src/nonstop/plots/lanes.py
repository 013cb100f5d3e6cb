"""The timeline: one lane per worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nonstop.history.lanes import Kind, Lane, Segment, Timeline
from nonstop.plots.plotly import go
from nonstop.plots.progress import unit_of
from nonstop.plots.style import (
    BLUE,
    FAINT,
    NO_REASON,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    about,
    compact,
    empty,
    figure,
    hover,
    told,
)
from nonstop.plots.values import noted
from nonstop.plots.words import label
from nonstop.types import Array
from nonstop.wording import share
from nonstop.workers.usage import overall

#: Trials and lanes to draw: the last trials of longer runs, the first workers if there are more.
MOST, MOST_LANES = 1000, 48
#: The name and the colour of each kind.
_STYLES: dict[Kind, tuple[str, str]] = {
    "completed": ("evaluating", BLUE),
    "running": ("running now", SKY),
    "failed": ("failed", RED),
    "proposing": ("proposing", ORANGE),
    "storing": ("storing", PURPLE),
    "idle": ("idle", FAINT),
}


def timeline(record: Timeline) -> go.Figure:
    """One lane of coloured bars for each worker."""
    if not record.lanes:
        return empty("no trial was started yet")
    lanes, since = _shown(record)
    factor, unit = unit_of(record.end - since)
    height = 150 + max(3, len(lanes)) * (30 if len(lanes) <= 16 else 18)
    drawn = figure(_title(record, since), height, barmode="overlay", bargap=0.3)
    for kind, (name, colour) in _STYLES.items():
        rows = [(index, s) for index, lane in enumerate(lanes) for s in lane.segments if s.kind == kind]
        if rows:
            lengths = np.array([(s.end - s.start) / factor for _, s in rows])
            drawn.add_bar(
                base=np.array([s.start / factor for _, s in rows]),
                x=compact(lengths, spread=0.0),
                y=np.array([index for index, _ in rows], dtype=np.int16),
                orientation="h",
                name=name,
                marker={"color": colour, "line": {"width": 0}},
                **_hover(kind, [segment for _, segment in rows], lengths, unit),
            )
    _taken_over(drawn, lanes, factor)
    drawn.update_xaxes(title_text=f"{unit} since the start", showgrid=True)
    ticks = [_tick(lane) for lane in lanes]
    drawn.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(lanes))),
        ticktext=ticks,
        showgrid=False,
        ticks="",
        range=[len(lanes) - 0.4, -0.6],
    )
    return noted(drawn)


def _shown(record: Timeline) -> tuple[list[Lane], float]:
    """The lanes to draw, and from which time on: that of the last MOST trials."""
    starts = sorted(
        s.start for lane in record.lanes for s in lane.segments if s.kind in ("completed", "failed", "running")
    )
    since = starts[-MOST] if len(starts) > MOST else 0.0
    return [
        replace(lane, segments=tuple(s for s in lane.segments if s.end > since)) for lane in record.lanes[:MOST_LANES]
    ], since


def _title(record: Timeline, since: float) -> str:
    usages = [lane.usage for lane in record.lanes if lane.usage is not None]
    count = len(record.lanes)
    who = f"{count} worker" + ("s" if count > 1 else "")
    time = f"{who}: {share(overall(usages).utilisation)} of the time spent evaluating" if usages else who
    parts = [time]
    if since > 0.0:
        parts.append(f"the last {MOST:,} trials")
    if count > MOST_LANES:
        parts.append(f"the first {MOST_LANES} lanes")
    if record.lost:
        parts.append(f"{len(record.lost)} taken over after a lost lease")
    return " · ".join(parts)


def _tick(lane: Lane) -> str:
    name = label(lane.worker, 22)
    return f"{name}  " if lane.usage is None else f"{name}  {share(lane.usage.utilisation)}  "


def _hover(kind: Kind, segments: Sequence[Segment], lengths: Array, unit: str) -> dict[str, Any]:
    """Evaluations show params and value, failures show their reason, all other bars their duration."""
    trials = [segment.trial for segment in segments if segment.trial is not None]
    if kind == "completed":
        return hover(trials, **{unit: lengths}, **told(trials))
    if kind == "running":
        return hover(trials, **{unit: lengths})
    if kind == "failed":
        return {
            "hovertext": [about(t, f"failed: {label(t.reason or NO_REASON, 80)}") for t in trials],
            "hoverinfo": "text",
        }
    return {"hovertemplate": f"{_STYLES[kind][0]}: %{{x:.3~g}} {unit}<extra></extra>"}


def _taken_over(drawn: go.Figure, lanes: Sequence[Lane], factor: float) -> None:
    """A mark where a worker took over a trial whose earlier worker lost its lease."""
    kinds = ("completed", "failed", "running")
    rows = [(index, s) for index, lane in enumerate(lanes) for s in lane.segments if s.taken_over and s.kind in kinds]
    if rows:
        drawn.add_scatter(
            x=[s.start / factor for _, s in rows],
            y=[index for index, _ in rows],
            mode="markers",
            name="taken over",
            marker={"symbol": "diamond", "size": 10, "color": ORANGE, "line": {"width": 1.5, "color": "white"}},
            hovertext=[about(s.trial) for _, s in rows if s.trial is not None],
            hoverinfo="text",
        )
