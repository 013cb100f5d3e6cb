"""Uniformly random params, the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nonstop.space import Space
from nonstop.space.encoding import cube_of, decode


class Uniform:
    """Uniform in the encoded space: log-uniform where the space is logarithmic."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._rng = np.random.default_rng(seed)

    def ask(self, busy: Sequence[Mapping[str, object]]) -> Mapping[str, object]:  # noqa: ARG002
        """Random params."""
        cube = cube_of(self._space)
        return decode(self._space, cube.spread(self._rng.random((1, cube.axes)))[0])

    def tell(self, params: Mapping[str, object], value: float | None) -> None:
        """Nothing to learn."""
