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
    label,
)
from nonstop.types import Array
from nonstop.wording import share
from nonstop.workers.usage import overall

#: Trials and lanes to draw: of longer runs the end, of more workers the first.
MOST, MOST_LANES = 1000, 48
_LOOK: dict[Kind, tuple[str, str]] = {
    "completed": ("evaluating", BLUE),
    "running": ("running now", SKY),
    "failed": ("failed", RED),
    "proposing": ("proposing", ORANGE),
    "storing": ("storing", PURPLE),
    "idle": ("idle", FAINT),
}


def timeline(record: Timeline) -> go.Figure:
    if not record.lanes:
        return empty("no trial was started yet")
    lanes, since = _shown(record)
    factor, unit = unit_of(record.end - since)
    height = 150 + max(3, len(lanes)) * (30 if len(lanes) <= 16 else 18)
    drawn = figure(_title(record, since), height, barmode="overlay", bargap=0.3)
    for kind, (name, colour) in _LOOK.items():
        rows = [(place, s) for place, lane in enumerate(lanes) for s in lane.segments if s.kind == kind]
        if rows:
            lengths = np.array([(s.end - s.start) / factor for _, s in rows])
            drawn.add_bar(
                base=np.array([s.start / factor for _, s in rows]),
                x=compact(lengths, spread=0.0),
                y=np.array([place for place, _ in rows], dtype=np.int16),
                orientation="h",
                name=name,
                marker={"color": colour, "line": {"width": 0}},
                **_hover(kind, [segment for _, segment in rows], lengths, unit),
            )
    _handed_on(drawn, lanes, factor)
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
    return drawn


def _shown(record: Timeline) -> tuple[list[Lane], float]:
    """The lanes to draw, and since when: the last trials of the study."""
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
        parts.append(f"{len(record.lost)} handed on after a lost lease")
    return " · ".join(parts)


def _tick(lane: Lane) -> str:
    name = label(lane.worker, 22)
    return f"{name}  " if lane.usage is None else f"{name}  {share(lane.usage.utilisation)}  "


def _hover(kind: Kind, segments: Sequence[Segment], lengths: Array, unit: str) -> dict[str, Any]:
    """Params are shown where they are evaluated, and reasons where they failed."""
    trials = [segment.trial for segment in segments if segment.trial is not None]
    if kind == "completed":
        values = np.array([trial.value for trial in trials], dtype=np.float64)
        return hover(trials, **{unit: lengths, "value": values})
    if kind == "running":
        return hover(trials, **{unit: lengths})
    if kind == "failed":
        return {
            "hovertext": [about(t, f"failed: {label(t.reason or NO_REASON, 80)}") for t in trials],
            "hoverinfo": "text",
        }
    return {"hovertemplate": f"{_LOOK[kind][0]}: %{{x:.3~g}} {unit}<extra></extra>"}


def _handed_on(drawn: go.Figure, lanes: Sequence[Lane], factor: float) -> None:
    """A mark where a worker took up what another had lost."""
    kinds = ("completed", "failed", "running")
    rows = [(place, s) for place, lane in enumerate(lanes) for s in lane.segments if s.handed_on and s.kind in kinds]
    if rows:
        drawn.add_scatter(
            x=[s.start / factor for _, s in rows],
            y=[place for place, _ in rows],
            mode="markers",
            name="taken over",
            marker={"symbol": "diamond", "size": 10, "color": ORANGE, "line": {"width": 1.5, "color": "white"}},
            hovertext=[about(s.trial) for _, s in rows if s.trial is not None],
            hoverinfo="text",
        )
