"""Arguments that users give, checked: the plain Python value, or an error of one line that names the argument.

Users' objects may do anything in their methods, so nothing of them is called outside of a try.
"""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np

from nonstop.errors import NonstopError
from nonstop.types import LARGEST_INTEGER
from nonstop.wording import shown

#: The longest time that every timer accepts: three years. macOS refuses to set an alarm beyond it.
LONGEST = 1e8


def plain(value: object) -> object:
    """The value, a NumPy scalar as the Python object that it stands for."""
    return value.item() if isinstance(value, np.generic) else value


def number_of(value: object) -> float | None:
    """The value as a finite Python float; None if it is no such number. Bools and strings are not."""
    given = plain(value)
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    try:
        number = float(given)
    except Exception:  # too large, or a class of the user's own
        return None
    return number if math.isfinite(number) else None


def whole_of(value: object) -> int | None:
    """The value as a Python int; None if it is no integer. 3.0 is not: where a float comes in, something is wrong."""
    given = plain(value)
    if isinstance(given, bool) or not isinstance(given, Integral):
        return None
    try:
        return int(given)
    except Exception:  # a class of the user's own
        return None


def numbers_of(value: object, count: int | None = None) -> list[float] | None:
    """The finite numbers of a tuple, list or array; None if it is something else, or not `count` of them."""
    if not isinstance(value, tuple | list | np.ndarray) or (isinstance(value, np.ndarray) and value.ndim != 1):
        return None
    numbers = [found for found in map(number_of, value) if found is not None]
    return numbers if len(numbers) == (len(value) if count is None else count) == len(value) else None


def text_of(value: object) -> str | None:
    """The value as a plain str; None if it is no text, or none that can be encoded: half of a surrogate pair."""
    if not isinstance(value, str):
        return None
    text = str.__str__(value)  # of a string enum, str() may be its name instead of its value
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    return text


def flag_of(value: object) -> bool | None:
    """The value as a Python bool; None if it is none."""
    given = plain(value)
    return given if isinstance(given, bool) else None


def text(name: str, value: object, error: type[NonstopError]) -> str:
    """Any text."""
    found = text_of(value)
    if found is None:
        raise error(f"{name} must be a text (str), not {shown(value)}")
    return found


def flag(name: str, value: object, error: type[NonstopError]) -> bool:
    """True or False."""
    found = flag_of(value)
    if found is None:
        raise error(f"{name} must be True or False, not {shown(value)}")
    return found


def whole(
    name: str, value: object, error: type[NonstopError], least: int = 0, most: int = LARGEST_INTEGER, or_else: str = ""
) -> int:
    """An integer from `least` to `most`; `or_else` names what else may be given."""
    found = whole_of(value)
    if found is None or not least <= found <= most:
        raise error(f"{name} must be an integer from {least} to {_bound(most)}{or_else}, not {shown(value)}")
    return found


def number(name: str, value: object, error: type[NonstopError], least: float = -math.inf, or_else: str = "") -> float:
    """A finite number, at least `least`; `or_else` names what else may be given."""
    found = number_of(value)
    if found is None or found < least:
        bound = "" if least == -math.inf else f" >= {least:g}"
        raise error(f"{name} must be a finite number{bound}{or_else}, not {shown(value)}")
    return found


def positive(name: str, value: object, error: type[NonstopError]) -> float:
    """A finite number > 0."""
    found = number_of(value)
    if found is None or found <= 0.0:
        raise error(f"{name} must be a finite number > 0, not {shown(value)}")
    return found


def seconds(name: str, value: object, error: type[NonstopError]) -> float:
    """A time that timers can measure: more than 0 seconds, at most LONGEST."""
    found = number_of(value)
    if found is None or not 0.0 < found <= LONGEST:
        raise error(f"{name} must be a number of seconds > 0 and <= {LONGEST:g}, not {shown(value)}")
    return found


def _bound(most: int) -> str:
    return "2**63 - 1" if most == LARGEST_INTEGER else str(most)
