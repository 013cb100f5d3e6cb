"""Params for peers: a choice becomes its index, because some peers allow neither None nor mixed types.

The index is text, so that it does not imply an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nonstop.space import Categorical, Ordinal, Space


def coded(space: Space, params: Mapping[str, Any]) -> dict[str, Any]:
    """Params with choices replaced by their codes."""
    return {
        name: str(list(parameter.choices).index(params[name]))
        if isinstance(parameter, Categorical | Ordinal)
        else params[name]
        for name, parameter in space.items()
    }


def decoded(space: Space, codes: Mapping[str, Any]) -> dict[str, Any]:
    """Params with codes replaced by choices; floats that a peer rounded to just outside of their bounds are clipped."""
    return {
        name: parameter.choices[int(codes[name])]
        if isinstance(parameter, Categorical | Ordinal)
        else min(max(codes[name], parameter.low), parameter.high)
        for name, parameter in space.items()
    }


def codes_of(parameter: Categorical | Ordinal) -> list[str]:
    """The codes of all choices."""
    return [str(i) for i in range(len(parameter.choices))]
