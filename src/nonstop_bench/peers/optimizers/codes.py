"""Params as peers take them: a choice becomes its number, because some of them allow neither None nor mixed types.

As text, so that nobody takes the numbers for an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nonstop.space import Categorical, Space


def coded(space: Space, params: Mapping[str, Any]) -> dict[str, Any]:
    """What a peer is told."""
    return {
        name: str(list(parameter.choices).index(params[name])) if isinstance(parameter, Categorical) else params[name]
        for name, parameter in space.items()
    }


def decoded(space: Space, codes: Mapping[str, Any]) -> dict[str, Any]:
    """What a peer meant. Some round floats, which may put them just outside of their bounds."""
    return {
        name: parameter.choices[int(codes[name])]
        if isinstance(parameter, Categorical)
        else min(max(codes[name], parameter.low), parameter.high)
        for name, parameter in space.items()
    }


def codes_of(parameter: Categorical) -> list[str]:
    """The codes of all choices."""
    return [str(i) for i in range(len(parameter.choices))]
