"""The task of the convolutional network; what needs torch runs where torch is, that is in .venv-peers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.errors import MissingExtraError
from nonstop_bench.problems import cifar
from nonstop_bench.problems.cnn import FOLDER_VARIABLE, accuracy, build, cifar10, space
from tests.bench.images import write_images

ROWS = 12
FILTERS = {f"filters{i}": 16 for i in range(1, 7)}
GOOD: dict[str, Any] = {"learning_rate": 0.05, "momentum": 0.5, "batch_size": 10, **FILTERS}


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is in .venv-peers: run this file there")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_images(tmp_path, ROWS, classes=(0, 9))
    return tmp_path


def test_the_space_is_the_papers() -> None:
    assert len(space()) == 9
    assert space()["learning_rate"] == space()["momentum"] == nonstop.Float(0.001, 0.999)
    assert space()["batch_size"] == nonstop.Int(1, 5000)
    assert space()["filters1"] == space()["filters6"] == nonstop.Int(16, 256)


def test_without_torch_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"bench\[cnn\]"):
        cifar10(folder)


def test_layers_keep_the_size_and_every_second_one_halves_it(torch: Any) -> None:
    filters = [16, 17, 18, 19, 20, 21]
    network, X = build(filters), torch.zeros(2, 3, 32, 32)
    shapes = [tuple(X.shape[1:]) for layer in network if (X := layer(X)) is not None]
    convolutions = [layer for layer in network if isinstance(layer, torch.nn.Conv2d)]
    assert [layer.out_channels for layer in convolutions] == filters
    assert {layer.kernel_size for layer in convolutions} == {(3, 3)}
    pooled = [shape for layer, shape in zip(network, shapes, strict=True) if isinstance(layer, torch.nn.MaxPool2d)]
    assert pooled == [(17, 16, 16), (19, 8, 8), (21, 4, 4)]
    assert shapes[-1] == (10,)


@pytest.mark.usefixtures("torch")
def test_training_learns_colours(folder: Path) -> None:
    training, validation = cifar.halves(cifar.read(folder, ROWS), seed=0)
    assert accuracy(training, validation, GOOD, epochs=0) < 0.7
    assert accuracy(training, validation, GOOD, epochs=15) > 0.95
    assert accuracy(training, validation, GOOD | {"learning_rate": 0.001}, epochs=5) < 0.7  # too slow to get there


@pytest.mark.usefixtures("torch")
def test_the_task_is_minus_the_accuracy_and_the_same_every_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    task = cifar10(epochs=3, rows=ROWS)
    value = task.objective(GOOD)
    training, validation = cifar.halves(cifar.read(folder, ROWS), seed=0)
    assert value == task.objective(GOOD) == -accuracy(training, validation, GOOD, epochs=3)
    assert value == cifar10(folder, epochs=3, rows=ROWS).objective(GOOD)
    assert task.regret(value) == 1.0 + value
    assert task.duration is None


def test_training_again_ends_in_the_same_weights(torch: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    networks: list[Any] = []

    def build_and_keep(filters: list[int]) -> Any:
        networks.append(build(filters))
        return networks[-1]

    monkeypatch.setattr("nonstop_bench.problems.cnn.build", build_and_keep)
    training, validation = cifar.halves(cifar.read(folder, ROWS), seed=0)
    for seed, momentum in ((1, 0.5), (2, 0.5), (2, 0.6)):
        torch.manual_seed(seed)
        accuracy(training, validation, GOOD | {"momentum": momentum}, epochs=2)
    one, again, other = ([weights.tolist() for weights in network.parameters()] for network in networks)
    assert one == again != other


def test_nobody_elses_random_numbers_change(torch: Any, folder: Path) -> None:
    training, validation = cifar.halves(cifar.read(folder, ROWS), seed=0)
    torch.manual_seed(5)
    expected = torch.rand(3).tolist()
    torch.manual_seed(5)
    accuracy(training, validation, GOOD, epochs=0)
    assert torch.rand(3).tolist() == expected


@pytest.mark.usefixtures("torch")
def test_divergence_and_a_batch_beyond_the_data_are_values_too(folder: Path) -> None:
    training, validation = cifar.halves(cifar.read(folder, ROWS), seed=0)
    wild = GOOD | {"learning_rate": 0.999, "momentum": 0.999}
    assert 0.0 <= accuracy(training, validation, wild, epochs=20) < 0.7
    assert 0.0 <= accuracy(training, validation, GOOD | {"batch_size": 5000}, epochs=1) < 0.7


@pytest.mark.usefixtures("torch")
def test_without_a_folder_the_error_says_what_is_expected_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=r"NONSTOP_CIFAR10 names none; expected .*data_batch_1\.bin"):
        cifar10()
