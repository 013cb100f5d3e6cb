"""CIFAR-10 (Krizhevsky 2009) from a local folder in its published binary format. Nothing is ever downloaded.

A file is 10,000 rows of 3,073 bytes: the label (0 to 9), then 1,024 bytes each of red, green and blue, row by row of
the picture. Only the five training files are read: test_batch.bin may lie beside them, but no search should see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILES = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
#: Rows per published file.
ROWS = 10_000
CLASSES, SHAPE = 10, (3, 32, 32)
ROW_BYTES = 1 + 3 * 32 * 32


@dataclass(frozen=True, slots=True)
class Images:
    """pixels (n, 3, 32, 32) in 0 to 255, labels (n,) in 0 to 9"""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def at(self, rows: NDArray[np.int64]) -> Images:
        """The images in these rows."""
        return Images(self.pixels[rows], self.labels[rows])


def read(folder: Path, rows: int = ROWS) -> Images:
    """The training images of the folder, whose files have `rows` rows each."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"{folder} lacks {', '.join(missing)}; expected {FILES[0]} to {FILES[-1]}"
            " of the binary version of CIFAR-10 (cifar-10-binary.tar.gz), unpacked"
        )
    table = np.concatenate([_read_file(folder / name, rows) for name in FILES])
    return Images(table[:, 1:].reshape(-1, *SHAPE), table[:, 0].astype(np.int64))


def halves(images: Images, seed: int) -> tuple[Images, Images]:
    """A random half to train on and the other half to validate on."""
    order = np.random.default_rng(seed).permutation(len(images))
    middle = len(images) // 2
    return images.at(order[:middle]), images.at(order[middle:])


def _read_file(path: Path, rows: int) -> NDArray[np.uint8]:
    """The table (rows, 3073) of a file, checked."""
    size, expected = path.stat().st_size, rows * ROW_BYTES
    if size != expected:  # before reading: a foreign file may be huge
        raise ValueError(f"{path} has {size} bytes, expected {expected}: {rows} rows of {ROW_BYTES}")
    table = np.fromfile(path, dtype=np.uint8).reshape(rows, ROW_BYTES)
    foreign = np.flatnonzero(table[:, 0] >= CLASSES)
    if len(foreign):
        row = int(foreign[0])
        raise ValueError(
            f"row {row} of {path} has the label {table[row, 0]}, expected 0 to {CLASSES - 1}: not CIFAR-10"
        )
    return table
