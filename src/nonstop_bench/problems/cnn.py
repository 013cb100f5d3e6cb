"""Nine hyperparameters of a convolutional network of six layers on CIFAR-10.

3x3 convolutions with padding 1, each followed by a rectifier and every second one by a 2x2 max-pool; then one linear
layer to the ten classes. Cross-entropy, plain SGD with momentum, 20 epochs on a random 25,000 of the training images;
the objective is minus the accuracy on the other 25,000, and the optimum is agreed to be -1. The ranges are those of the
paper's code, all of them linear: learning rate and momentum .001 to .999, batches of 1 to 5,000 images, 16 to 256
filters per layer. As there, batches come in the same order in every epoch. Unlike there, the split and the first
weights are fixed by seeds, so that on one kind of CPU the value is a function of the params; on a GPU it nearly is.

The task has no virtual duration: it takes as long as it takes, and the experiment chooses a model if it wants one.
The images come from the folder given, or from that of the environment variable NONSTOP_CIFAR10 (see cifar.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nonstop
from nonstop.errors import MissingExtraError
from nonstop_bench.problems import cifar
from nonstop_bench.problems.cifar import Images
from nonstop_bench.problems.task import BlackBox

FOLDER_VARIABLE = "NONSTOP_CIFAR10"
LAYERS, EPOCHS = 6, 20
SPLIT_SEED, WEIGHT_SEED = 0, 0
#: Mean and standard deviation of the training images by colour, in units of 255; the paper's and most others'.
MEAN, SCALE = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)
#: Images per step of the validation; only memory depends on it.
VALIDATION_BATCH = 1000


def cifar10(folder: Path | None = None, *, epochs: int = EPOCHS, rows: int = cifar.ROWS) -> BlackBox:
    """The task. Reads the images at once, so that a missing file is no failed trial; fewer rows serve to try it out."""
    _torch()
    training, validation = cifar.halves(cifar.read(folder or _folder(), rows), SPLIT_SEED)

    def function(params: Mapping[str, object]) -> float:
        return -accuracy(training, validation, params, epochs)

    return BlackBox("cnn", space(), function, optimum=-1.0)


def space() -> nonstop.Space:
    """The nine hyperparameters and their ranges."""
    return nonstop.Space(
        {
            "learning_rate": nonstop.Float(0.001, 0.999),
            "momentum": nonstop.Float(0.001, 0.999),
            "batch_size": nonstop.Int(1, 5000),
            **{name: nonstop.Int(16, 256) for name in _filter_names()},
        }
    )


def accuracy(training: Images, validation: Images, params: Mapping[str, Any], epochs: int = EPOCHS) -> float:
    """The share of the validation images that the network classifies rightly after training.

    Training that diverges ends in weights that are no numbers: such a network tells nothing apart, and scores like it.
    """
    torch = _torch()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with torch.random.fork_rng():  # the weights are seeded, and nobody else's stream is touched
        torch.manual_seed(WEIGHT_SEED)
        network = build([params[name] for name in _filter_names()]).to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=params["learning_rate"], momentum=params["momentum"])
    pixels, labels = _to_device(training, device)
    for _ in range(epochs):
        for X, y in zip(pixels.split(params["batch_size"]), labels.split(params["batch_size"]), strict=True):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(_scaled(X)), y).backward()
            optimizer.step()
    return _share_right(network, *_to_device(validation, device))


def build(filters: list[int]) -> Any:
    """The network: (n, 3, 32, 32) -> (n, 10)."""
    nn = _torch().nn
    layers, channels, side = [], cifar.SHAPE[0], cifar.SHAPE[1]
    for i, count in enumerate(filters):
        layers += [nn.Conv2d(channels, count, kernel_size=3, padding=1), nn.ReLU()]
        channels = count
        if i % 2 == 1:
            layers.append(nn.MaxPool2d(2))
            side //= 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(channels * side * side, cifar.CLASSES))


def _share_right(network: Any, pixels: Any, labels: Any) -> float:
    batches = zip(pixels.split(VALIDATION_BATCH), labels.split(VALIDATION_BATCH), strict=True)
    with _torch().no_grad():
        right = sum(int((network(_scaled(X)).argmax(dim=1) == y).sum()) for X, y in batches)
    return right / len(labels)


def _to_device(images: Images, device: Any) -> tuple[Any, Any]:
    """Bytes stay bytes: a quarter of the memory. Batches are scaled one by one."""
    torch = _torch()
    return torch.from_numpy(images.pixels).to(device), torch.from_numpy(images.labels).to(device)


def _scaled(pixels: Any) -> Any:
    torch = _torch()
    mean, scale = (torch.tensor(colours, device=pixels.device).view(1, 3, 1, 1) for colours in (MEAN, SCALE))
    return (pixels.float() / 255.0 - mean) / scale


def _filter_names() -> list[str]:
    return [f"filters{i}" for i in range(1, LAYERS + 1)]


def _folder() -> Path:
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise FileNotFoundError(
            f"the CNN task reads CIFAR-10 from a folder, and {FOLDER_VARIABLE} names none;"
            f" expected one with {cifar.FILES[0]} to {cifar.FILES[-1]} of its binary version"
        )
    return Path(folder)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("the CNN task", "cnn", "nonstop-bench") from error
    return torch
