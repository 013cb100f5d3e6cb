"""The part of an axis of values that is worth showing: a few very bad values must not flatten all others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from nonstop.types import Array

Kind: TypeAlias = Literal["linear", "log"]
#: Values are left out only if the axis of all of them would be longer than this many windows.
SPARE = 4.0
#: Positive values that span more than this are shown on a log axis: all that must be shown, or the bulk of the results,
#: from the best twentieth to the best three quarters. Many bad values are common, and make no log axis.
WIDE, BULK, INNER = 1e3, 300.0, (0.05, 0.75)
#: Values so many times smaller than the next larger one, and fewer than half of all, are zero but for rounding, such as
#: cos(pi / 2): they make no log axis either.
ROUNDING = 1e9
#: The share of the results whose distance from the best gives the window its length, or the next larger share if those
#: are all as good as the best.
SHARES = (0.75, 0.9, 0.95, 0.99, 1.0)
#: How many such distances the window is longer than the one that it must have.
LENGTHS = 3.0


@dataclass(frozen=True, slots=True)
class Beyond:
    """How many values are not on an axis, and the one furthest from it; None if all are on it."""

    count: int = 0
    furthest: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The ends of an axis, and whether it is a log axis; then both are positive."""

    kind: Kind
    low: float
    high: float

    def beyond(self, values: Array) -> Beyond:
        """The finite values that are below or above the window."""
        known = values[np.isfinite(values)]
        out = known[(known < self.low) | (known > self.high)]
        if not len(out):
            return Beyond()
        # Halves, because differences of the largest numbers overflow.
        off = np.maximum(0.5 * self.low - 0.5 * out, 0.5 * out - 0.5 * self.high)
        return Beyond(len(out), float(out[int(off.argmax())]))

    def clip(self, values: Array) -> Array:
        """The values, those beyond the window at its ends."""
        clipped: Array = np.clip(values, self.low, self.high)
        return clipped

    def wider(self, values: Array, by: float = 0.5) -> Window:
        """The window with as much of these values as fits if it becomes longer at each end by `by` of its length: what
        an uncertain model predicts would otherwise compress everything else."""
        known = values[np.isfinite(values) & ((values > 0.0) | (self.kind == "linear"))]
        if not len(known):
            return self
        unit = _unit(np.array([self.low, self.high])) if self.kind == "linear" else 1.0
        low, high = scaled(np.array([self.low, self.high]) / unit, self.kind).tolist()
        room = by * (high - low) or np.inf
        least, most = scaled(np.array([known.min(), known.max()]) / unit, self.kind).tolist()
        low, high = max(low - room, min(low, least)), min(high + room, max(high, most))
        return replace(self, low=_back(low, self.kind) * unit, high=_back(high, self.kind) * unit)


def window(values: Array, sign: float, keep: Array | None = None) -> Window:
    """The window of results: from the best to what is not much worse than most, and everything in `keep`. Larger values
    are better if sign is 1, smaller ones if it is -1. All values are in it unless that would make it much longer."""
    kept = np.empty(0) if keep is None else keep
    spanned = _positive(values) and len(kept) > 0 and float(kept.max()) / WIDE > float(kept.min())
    kind: Kind = "log" if spanned or decades(values, sign) else "linear"
    unit = _unit(values) if kind == "linear" else 1.0
    bad, must = (-sign * scaled(v / unit, kind) for v in (values, kept))
    best, worst = float(bad.min()), float(bad.max())
    limit = max(_limit(bad), float(must.max(initial=-np.inf)))
    shown = values if worst - best <= SPARE * (limit - best) else values[bad <= limit]
    return Window(kind, float(shown.min()), float(shown.max()))


def everything(values: Array) -> Window:
    """The window of all values; those that span decades are on a log axis."""
    low, high = float(values.min()), float(values.max())
    return Window("log" if _positive(values) and high / WIDE > low else "linear", low, high)


def decades(values: Array, sign: float) -> bool:
    """Whether the bulk of positive values spans decades."""
    if len(values) < 2 or not _positive(values):
        return False
    good, bad = np.quantile(-sign * np.log10(values), INNER)
    return bool(bad - good > np.log10(BULK))


def scaled(values: Array, kind: Kind) -> Array:
    """The values, or their decimal logarithms."""
    return np.log10(values) if kind == "log" else values


def _limit(bad: Array) -> float:
    best = float(bad.min())
    for share in SHARES:
        usual = float(np.quantile(bad, share, method="lower"))
        if usual > best:
            return usual + LENGTHS * (usual - best)
    return best


def _positive(values: Array) -> bool:
    """Whether all values are positive, and none is only because of rounding."""
    if not (values > 0.0).all():
        return False
    ordered = np.sort(values)
    gaps = np.flatnonzero(ordered[1:] / ROUNDING > ordered[:-1])
    return not (gaps + 1 < 0.5 * len(values)).any()


def _unit(values: Array) -> float:
    """Values up to 1e308 are divided by it, so that no difference of them overflows."""
    largest = float(np.abs(values).max(initial=0.0))
    return largest if largest > 1e300 else 1.0


def _back(place: float, kind: Kind) -> float:
    return float(10.0**place) if kind == "log" else place
