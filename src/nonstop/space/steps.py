"""Steps of a range: which values low, low + step, ... or low, low * factor, ... there are, as exact decimals.

0.05 * 3 is 0.15000000000000002 in floating point. Here every number is the decimal that its repr shows, so the fourth
value of Float(0, 1, step=0.05) is 0.15. Indices count the values from 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

from nonstop.arguments import number_of, text_of, whole_of
from nonstop.errors import SpaceError
from nonstop.wording import shown

#: A number to add, or "x2": a factor to multiply by.
Step: TypeAlias = float | int | str

#: The most values of a range with steps. Doubles in [0, 1] distinguish at least 2**52 points, so each has its own cell.
MAX_LEVELS: Final = 2**40
#: The most values of a range whose step multiplies.
MAX_FACTORS: Final = 1000

_FACTOR: Final = re.compile(r"x(\d{1,20}(?:\.\d{1,20})?)")
_NEAR: Final = 1e-9  # of a step: a value so near to one of the grid is meant to be that one


def checked_step(step: object, log: bool, whole: bool) -> Step | None:
    """The step as a plain number or as "x2"; SpaceError says what it may be."""
    if step is None:
        return None
    kind = "a whole number" if whole else "a number"
    expected = f'expected {kind} > 0, or with log=True a factor such as "x2"'
    if isinstance(step, str):
        factor = _factor(step)
        if factor is None or factor <= 1 or (whole and factor.denominator != 1):
            more = "a whole factor" if whole else "a factor"
            raise SpaceError(f"got step = {shown(step)}, {expected}: {more} > 1 behind an x")
        if not log:
            raise SpaceError(f"got step = {shown(step)} without log=True, {expected}")
        return str(text_of(step))
    number = whole_of(step) if whole else number_of(step)
    if number is None or number <= 0:
        raise SpaceError(f"got step = {shown(step)}, {expected}")
    return number


def is_factor(step: Step) -> bool:
    """Does the step multiply?"""
    return isinstance(step, str)


def check_grid(low: float, high: float, log: bool, step: Step) -> None:
    """SpaceError unless high is one of the values, and neighbouring values can be told apart."""
    if not isinstance(step, str):
        finest = 2.0 * math.ulp(max(abs(low), abs(high))) if isinstance(step, float) else 0.0
        finest = max(finest, high / MAX_LEVELS) if log else finest
        if step < finest:
            why = f"so that neighbouring values from {low} to {high} stay distinguishable"
            raise SpaceError(f"got step = {step}, expected at least {finest}, {why}")
    most = MAX_FACTORS if is_factor(step) else MAX_LEVELS
    last, exact = _last(low, high, step)
    if last >= most:
        shown_most = f"{most:,}" if is_factor(step) else "2**40"
        raise SpaceError(f"got {low} to {high} with step = {shown(step)}, expected at most {shown_most} values")
    if not exact:
        kind = type(high)
        below, above = (_readable(_exact(low, step, i), kind) for i in (last, last + 1))
        given = f"got high = {high} with step = {shown(step)} from low = {low}"
        raise SpaceError(f"{given}, expected a high on the grid: {below} or {above}")


def count(low: float, high: float, step: Step) -> int:
    """How many values there are."""
    return _last(low, high, step)[0] + 1


@lru_cache(maxsize=1024, typed=True)  # 16 and 16.0 are equal, and their values are not of one type
def factor_values(low: float, high: float, step: str) -> tuple[float, ...]:
    """All values of a range whose step multiplies."""
    make: Callable[[Fraction], float] = int if isinstance(low, int) else float
    return tuple(make(_exact(low, step, i)) for i in range(count(low, high, step)))


def value_at(low: float, high: float, step: Step, index: int) -> float:
    """The value of this index."""
    if isinstance(low, int) and isinstance(step, int):
        return low + index * step
    if isinstance(step, str):
        return factor_values(low, high, step)[index]
    return _float_at(low, step, index)


# A search decodes the same few values again and again, and fractions are slow.
@lru_cache(maxsize=2**14, typed=True)
def _float_at(low: float, step: Step, index: int) -> float:
    return float(_exact(low, step, index))


def index_of(low: float, high: float, step: Step, value: float) -> int | None:
    """The index of the value; None if it is not on the grid. Of a float, the last digits may differ."""
    if isinstance(low, int) and isinstance(step, int):
        index, rest = divmod(int(value) - low, step)
        return None if rest else index
    index = nearest_index(low, high, step, value)
    found = value_at(low, high, step, index)
    gap = abs(found) if isinstance(step, str) else float(step)
    return index if abs(found - value) <= _NEAR * gap else None


def nearest_index(low: float, high: float, step: Step, value: float) -> int:
    """The index of the value next to this one."""
    if isinstance(step, str):
        values = factor_values(low, high, step)
        return min(range(len(values)), key=lambda i: abs(values[i] - value))
    index = round((_decimal(value) - _decimal(low)) / _decimal(step))
    return min(max(index, 0), count(low, high, step) - 1)


def _factor(step: str) -> Fraction | None:
    text = text_of(step)
    found = _FACTOR.fullmatch(text) if text is not None and len(text) <= 50 else None
    return Fraction(found[1]) if found else None


def _decimal(number: float) -> Fraction:
    """The decimal that the repr shows, exactly."""
    return Fraction(repr(number))


def _exact(low: float, step: Step, index: int) -> Fraction:
    if isinstance(step, str):
        factor = _factor(step)
        assert factor is not None
        return _decimal(low) * factor**index
    return _decimal(low) + index * _decimal(step)


@lru_cache(maxsize=1024, typed=True)
def _last(low: float, high: float, step: Step) -> tuple[int, bool]:
    """The index of the last value that is not above high, and whether it is high."""
    first, end = _decimal(low), _decimal(high)
    if not isinstance(step, str):
        index = (end - first) // _decimal(step)
        return int(index), first + index * _decimal(step) == end
    factor = _factor(step)
    assert factor is not None
    index, value = 0, first
    while value * factor <= end and index < MAX_FACTORS:
        value, index = value * factor, index + 1
    return index, value == end or (not isinstance(high, int) and float(value) == high)


def _readable(value: Fraction, kind: type) -> str:
    try:
        return str(kind(value))
    except OverflowError:
        return "beyond all floats"
