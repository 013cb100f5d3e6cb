"""A small data set in the binary format of CIFAR-10, in which the colour of an image tells its class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

FILES = [f"data_batch_{i}.bin" for i in range(1, 6)]


def write_images(folder: Path, rows: int, classes: Sequence[int] = range(10)) -> tuple[np.ndarray, np.ndarray]:
    """Five files of as many rows; the labels (5 rows,) and the pixels (5 rows, 3, 32, 32) written."""
    rng = np.random.default_rng(0)
    labels = rng.choice(classes, 5 * rows)
    colours = np.stack([25 * labels, 25 * (9 - labels), 25 * (labels % 3)], axis=1)
    pixels = (colours[:, :, None, None] + rng.integers(0, 20, (5 * rows, 3, 32, 32))).astype(np.uint8)
    for i, name in enumerate(FILES):
        with (folder / name).open("wb") as file:
            for row in range(i * rows, (i + 1) * rows):
                file.write(bytes([labels[row]]) + pixels[row].tobytes())
    return labels, pixels
