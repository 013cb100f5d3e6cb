"""The reader of CIFAR-10's files on a generated data set, and what it says of files that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nonstop_bench.problems import cifar
from tests.bench.images import FILES, write_images

ROWS = 4


def test_images_come_back_in_the_order_of_the_files(tmp_path: Path) -> None:
    labels, pixels = write_images(tmp_path, ROWS)
    images = cifar.read(tmp_path, ROWS)
    assert len(images) == 20
    np.testing.assert_array_equal(images.labels, labels)
    np.testing.assert_array_equal(images.pixels, pixels)
    assert images.pixels.shape == (20, 3, 32, 32)


def test_bytes_are_label_red_green_blue_and_pictures_row_by_row(tmp_path: Path) -> None:
    write_images(tmp_path, 1)
    planes = bytes([1]) * 1024 + bytes([2]) * 1024 + bytes([3]) * 1023 + bytes([77])
    (tmp_path / "data_batch_1.bin").write_bytes(bytes([7]) + bytes([9]) * 32 + planes[32:])
    images = cifar.read(tmp_path, 1)
    assert images.labels[0] == 7
    assert (images.pixels[0, 0, 0] == 9).all()  # the first 32 bytes are the upper edge in red
    assert (images.pixels[0, 0, 1:] == 1).all()
    assert (images.pixels[0, 1] == 2).all()
    assert images.pixels[0, 2, 31, 31] == 77


def test_missing_files_are_named_with_what_is_expected(tmp_path: Path) -> None:
    write_images(tmp_path, ROWS)
    (tmp_path / "data_batch_2.bin").unlink()
    (tmp_path / "data_batch_5.bin").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks data_batch_2\.bin, data_batch_5\.bin; expected .*binary"):
        cifar.read(tmp_path, ROWS)
    with pytest.raises(FileNotFoundError, match=r"nowhere lacks data_batch_1\.bin"):
        cifar.read(tmp_path / "nowhere", ROWS)


@pytest.mark.parametrize("cut", [1, 3073, ROWS * 3073], ids=["a byte", "a row", "all"])
def test_a_truncated_file_is_refused(tmp_path: Path, cut: int) -> None:
    write_images(tmp_path, ROWS)
    path = tmp_path / FILES[2]
    path.write_bytes(path.read_bytes()[: ROWS * 3073 - cut])
    with pytest.raises(ValueError, match=rf"data_batch_3\.bin has {4 * 3073 - cut} bytes, expected 12292: 4 rows"):
        cifar.read(tmp_path, ROWS)


def test_a_foreign_file_of_the_right_size_is_refused(tmp_path: Path) -> None:
    write_images(tmp_path, ROWS)
    path = tmp_path / FILES[4]
    content = bytearray(path.read_bytes())
    content[2 * 3073] = 10
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"row 2 of .*data_batch_5\.bin has the label 10, expected 0 to 9"):
        cifar.read(tmp_path, ROWS)


def test_files_of_cifar_100_are_refused(tmp_path: Path) -> None:
    write_images(tmp_path, ROWS)
    (tmp_path / FILES[0]).write_bytes(bytes(ROWS * 3074))  # it has two labels per row
    with pytest.raises(ValueError, match="rows of 3073"):
        cifar.read(tmp_path, ROWS)


def test_published_files_have_ten_thousand_rows(tmp_path: Path) -> None:
    write_images(tmp_path, ROWS)
    with pytest.raises(ValueError, match="expected 30730000"):
        cifar.read(tmp_path)


def test_halves_are_random_disjoint_and_reproducible(tmp_path: Path) -> None:
    write_images(tmp_path, ROWS)
    images = cifar.read(tmp_path, ROWS)
    one, other = cifar.halves(images, seed=0)
    assert len(one) == len(other) == 10
    everything = {image.tobytes() for image in images.pixels}
    assert {image.tobytes() for image in one.pixels} | {image.tobytes() for image in other.pixels} == everything
    assert len(everything) == 20
    for half in (one, other):  # labels stay with their images
        for image, label in zip(half.pixels, half.labels, strict=True):
            assert images.labels[[np.array_equal(image, own) for own in images.pixels]] == [label]
    again, _ = cifar.halves(images, seed=0)
    different, _ = cifar.halves(images, seed=1)
    np.testing.assert_array_equal(again.pixels, one.pixels)
    assert not np.array_equal(different.pixels, one.pixels)
    assert not np.array_equal(one.pixels, images.pixels[:10])
