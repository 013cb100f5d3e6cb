"""Random params, the baseline: uniform over what the constraints allow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nonstop_bench.spaces.declared import Declared, Params

_AT_ONCE = 64


class Feasible:
    """Draws many at once, because a small region needs many tries for each."""

    def __init__(self, declared: Declared, seed: int) -> None:
        self._params = _stream(declared, np.random.default_rng(seed))

    def add(self, params: Params, value: float) -> None:
        """Nothing to learn."""

    def ask(self) -> tuple[None, Params]:
        """Random params."""
        return None, next(self._params)

    def tell(self, handle: None, value: float | None) -> None:
        """Nothing to learn."""


def _stream(declared: Declared, rng: np.random.Generator) -> Iterator[Params]:
    while True:
        yield from declared.drawn(rng, _AT_ONCE)
