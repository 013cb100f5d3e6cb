"""What careless or hostile callers hand to functions: values by name, each made anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np


class Trick(str):
    """A text whose methods do harm."""

    def _harm(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError("a method of the caller's object was called")

    __eq__ = __ne__ = __str__ = __repr__ = __format__ = __len__ = __add__ = __contains__ = _harm
    strip = split = replace = encode = partition = _harm
    __hash__ = str.__hash__


class Trap:
    """An object that answers nothing."""

    def _harm(self, *_: object) -> NoReturn:
        raise RuntimeError("a method of the caller's object was called")

    __repr__ = __str__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = _harm
    __int__ = __index__ = __len__ = __iter__ = __contains__ = __getitem__ = __hash__ = _harm


class Liar(int):
    """A number that is no number when asked."""

    def __int__(self) -> int:
        raise RuntimeError("no number")

    def __float__(self) -> float:
        raise RuntimeError("no number")


def nested(depth: int) -> list[Any]:
    """[[[...]]]"""
    whole: list[Any] = []
    for _ in range(depth):
        whole = [whole]
    return whole


def endless() -> Iterable[int]:
    """1, 2, 3, ... without end."""
    number = 0
    while True:
        number += 1
        yield number


NONSENSE: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "true": lambda: True,
    "np true": lambda: np.True_,
    "zero": lambda: 0,
    "one": lambda: 1,
    "minus one": lambda: -1,
    "half": lambda: 2.5,
    "whole float": lambda: 3.0,
    "np int": lambda: np.int64(3),
    "np uint8": lambda: np.uint8(2),
    "np float": lambda: np.float32(0.5),
    "np longdouble": lambda: np.longdouble("1e4000"),
    "np datetime": lambda: np.datetime64("2026-11-17"),
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "minus inf": lambda: -math.inf,
    "huge float": lambda: 1e300,
    "fraction": lambda: Fraction(1, 2),
    "huge fraction": lambda: Fraction(10**400),
    "googol": lambda: 10**400,
    "5,000 digits": lambda: 10**5000,
    "decimal": lambda: Decimal("0.5"),
    "decimal nan": lambda: Decimal("sNaN"),
    "complex": lambda: 1j,
    "empty": lambda: "",
    "blank": lambda: " \n",
    "word": lambda: "x",
    "NUL": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "long": lambda: "x" * 100_000,
    "bytes": lambda: b"x",
    "trick": lambda: Trick("x"),
    "trap": Trap,
    "liar": lambda: Liar(3),
    "list": list,
    "nested": lambda: nested(100_000),
    "dict": dict,
    "set": lambda: {1, 2},
    "array": lambda: np.array([0.25, 0.5]),
    "scalar array": lambda: np.array(3.0),
    "type": lambda: int,
    "function": lambda: lambda: None,
    "generator": endless,
    "not implemented": lambda: NotImplemented,
    "ellipsis": lambda: ...,
}
#: Numbers among them that are meant as such, whole ones first.
WHOLE = {"zero", "one", "np int", "np uint8"}
POSITIVE = {"half", "whole float", "np float", "fraction", "huge float", "one", "np int", "np uint8"}
TEXTS = {"empty", "blank", "word", "NUL", "long", "trick"}
FLAGS = {"true", "np true"}
