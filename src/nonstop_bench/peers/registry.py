"""The peers by name. Their packages are imported when one is made; `pip install nonstop-bench[EXTRA]` brings them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from nonstop.space import Space
from nonstop_bench.peers.quiet import quiet
from nonstop_bench.simulate import Optimizer


@dataclass(frozen=True, slots=True)
class Peer:
    """Where an adapter is, which extra brings its package, and which variant of it this is."""

    module: str
    adapter: str
    extra: str | None = "peers"
    variant: str | None = None


_PEERS: Mapping[str, Peer] = {
    "random": Peer("uniform", "Uniform", extra=None),
    "botorch-ucb": Peer("botorch", "BoTorch", variant="ucb"),
    "botorch-logei": Peer("botorch", "BoTorch", variant="logei"),
    "botorch-qlogei": Peer("botorch", "BoTorch", variant="qlogei"),
    "botorch-qlognei": Peer("botorch", "BoTorch", variant="qlognei"),
    "optuna-gp": Peer("optuna", "Optuna", variant="gp"),
    "optuna-tpe": Peer("optuna", "Optuna", variant="tpe"),
    "smac": Peer("smac", "Smac", variant="gp"),
    "smac-rf": Peer("smac", "Smac", variant="rf"),
    "ax": Peer("ax", "Ax"),
    "bayesopt": Peer("bayesopt", "BayesOpt"),
    "hebo": Peer("hebo", "Hebo", extra=None, variant="one"),
    "hebo-batch": Peer("hebo", "Hebo", extra=None, variant="batch"),
    "deephyper": Peer("deephyper", "DeepHyper"),
    "skopt": Peer("skopt", "Skopt"),
}
NAMES = tuple(_PEERS)


class PeerError(Exception):
    """There is no peer of this name, or its package is not installed."""


def make(name: str, space: Space, seed: int) -> Optimizer:
    """A peer that has seen nothing yet. What it proposes depends on the seed and on what it is told, nothing else."""
    if name not in _PEERS:
        raise PeerError(f"got the peer {name!r}, expected one of {', '.join(NAMES)}")
    peer = _PEERS[name]
    try:
        with quiet():
            module = import_module(f"nonstop_bench.peers.optimizers.{peer.module}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "nonstop_bench":  # a bug of ours, not a missing package
            raise
        raise PeerError(f"{name} needs {package}: pip install 'nonstop-bench[{peer.extra}]'") from error
    adapter = cast(Callable[..., Optimizer], getattr(module, peer.adapter))
    return adapter(space, seed) if peer.variant is None else adapter(space, seed, peer.variant)
