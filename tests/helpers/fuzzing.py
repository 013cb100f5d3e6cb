"""The loop that every fuzzer shares, and generators of the small things."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import Any

from tests.helpers.nonsense import NONSENSE

#: Seconds that one input may take; more is a stall. Generous, for a busy machine.
PATIENCE = 60.0
_TEXTS = (
    "",
    " ",
    "x",
    "lr",
    "loss",
    "\0",
    "\ud800",
    "\u202e",
    "é",
    "🙂",
    "\x1b[31m",
    "'\"`$(x)",
    "{x}",
    "=1+1",
    "\r\n",
)


class FindingError(AssertionError):
    """An input that did harm: the message has what is needed to try it again."""


def loop(count: int, seed: int, deadline_seconds: float, one: Callable[[random.Random], object]) -> int:
    """Call one() with a generator of its own for each input, until the deadline; returns how many were tried."""
    until = time.monotonic() + deadline_seconds
    for index in range(count):
        began = time.monotonic()
        if began >= until:
            return index
        try:
            one(random.Random(f"{seed}/{index}"))
        except Exception as error:
            raise FindingError(f"seed {seed}, input {index}: {type(error).__name__}: {error}"[:3000]) from error
        took = time.monotonic() - began
        if took > PATIENCE:
            raise FindingError(f"seed {seed}, input {index}: took {took:.0f} s")
    return count


def check_line(error: Exception) -> None:
    """FindingError unless what the error says is one line of readable length."""
    if "\n" in str(error).strip() or len(str(error)) > 3000:
        raise FindingError(f"not one line: {error!r}")


def word(source: random.Random) -> str:
    """Some text, of any characters."""
    if source.random() < 0.5:
        return source.choice(_TEXTS)
    letters = (source.choice((source.randrange(128), source.randrange(0x110000))) for _ in range(source.randrange(12)))
    return "".join(map(chr, letters))


def number(source: random.Random) -> float:
    """Some float, often at the edge of what there is."""
    edges = (0.0, -0.0, 1.0, -1.0, 5e-324, 2.2e-308, 1e308, -1e308, 1e-12, 1e300, 0.1, 2.0**53)
    return source.choice(edges) if source.random() < 0.4 else source.gauss(0.0, 1.0) * 10.0 ** source.uniform(-20, 20)


def whole(source: random.Random) -> int:
    """Some integer of any size."""
    return source.choice((-1, 1)) * source.getrandbits(source.choice((1, 3, 8, 31, 40, 63, 64, 100, 1100, 20_000)))


def stored(source: random.Random) -> Any:
    """Anything that JSON can hold."""
    kind = source.randrange(6)
    if kind < 3:
        return (word, number, whole)[kind](source)
    if kind == 3:
        return source.choice((None, True, False, math.nan, math.inf, -1, 0))
    if kind == 4:
        return [stored(source) for _ in range(source.randrange(3))]
    return {word(source): stored(source) for _ in range(source.randrange(3))}


def anything(source: random.Random) -> Any:
    """Any object: sense or nonsense."""
    kind = source.randrange(6)
    if kind == 0:
        return word(source)
    if kind == 1:
        return number(source)
    if kind == 2:
        return whole(source)
    if kind == 3:
        return [anything(source) for _ in range(source.randrange(3))]
    return NONSENSE[source.choice(_CHEAP)]()


_CHEAP = [name for name in NONSENSE if name not in ("nested", "long", "generator")]
