"""Make frozen.json: what the paper's configuration proposes, which no improvement of the default may move.

    python -m tests.goldens.make_frozen

The file is made again only if the paper's configuration itself is to change; then every result of the paper's study is
of an older commit.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from nonstop import propose
from nonstop.types import Array
from nonstop_bench.case import Case
from nonstop_bench.presets import ELEVEN
from nonstop_bench.settings import settings_of

PATH = Path(__file__).parent / "frozen.json"


def data(d: int, n: int) -> tuple[Array, Array, Array]:
    """Results and busy points: a bowl with waves, and a busy point in a corner that rules like."""
    rng = np.random.default_rng([d, n])
    X, busy = rng.random((n, d)), rng.random((4, d))
    busy[0] = 1.0
    return X, np.asarray(X.sum(axis=1) - np.cos(7.0 * X).sum(axis=1)), busy


def proposals() -> dict[str, list[float]]:
    """The point for every rule and data set."""
    found = {}
    for rule in ELEVEN:
        for d, n in ((2, 12), (5, 60)):
            found[f"{rule} {d} {n}"] = propose(*data(d, n), rule, seed=n, surrogate="paper").x.tolist()
    return found


def settings() -> dict[str, object]:
    """All numbers behind the names, for every rule."""
    return {rule: settings_of(Case("ackley-10", rule=rule)) for rule in ELEVEN}


if __name__ == "__main__":
    PATH.write_text(json.dumps({"settings": settings(), "proposals": proposals()}, indent=1) + "\n")
