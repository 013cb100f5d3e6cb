"""Points of the unit cube as text, and back: 24 bits for each coordinate, which is 6e-8, compressed.

The coordinates of a dimension lie together, and of each the high bytes: that is where zlib finds something to save.
"""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: The difference between two neighbouring coordinates.
STEP = 1.0 / (2**24 - 1)


def packed(X: Array) -> str:
    """The points (n, d) as text."""
    levels = np.rint(X.T / STEP).astype(">u4")
    planes = levels[..., None].view(np.uint8).reshape(*levels.shape, 4)[..., 1:]
    return base64.b64encode(zlib.compress(np.moveaxis(planes, -1, 0).tobytes(), 9)).decode("ascii")


def unpacked(text: str, n: int) -> Array:
    """The n points (n, d) that packed() made the text from, rounded to its steps. They may have more columns than the
    task has parameters: one for each choice of a categorical one."""
    flat = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    high, middle, low = flat.reshape(3, len(flat) // max(3 * n, 1), n).astype(np.float64)
    return np.ascontiguousarray(((high * 256.0 + middle) * 256.0 + low).T * STEP)
