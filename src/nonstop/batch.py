"""Several points at once, for workers that wait for each other: the synchronous reference of the paper's figures.

The points are chosen one after the other, each with the earlier ones busy. With a believer this is the believer batch;
with "e-logei" it is the greedy maximisation of the joint improvement (qEI): given the earlier points B, the joint
improvement of B and x is that of B plus the expected improvement of x averaged over the values at B.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from nonstop.acquisition.rule import Rule
from nonstop.errors import DataError
from nonstop.propose import Proposal, propose
from nonstop.randomness import seed_of


def propose_batch(
    X: ArrayLike, y: ArrayLike, size: int, rule: str | Rule = "kb-logei", seed: int = 0
) -> tuple[Proposal, ...]:
    """`size` points to evaluate together, to maximise y. The rule must heed busy points; standard ones do not."""
    if size < 1:
        raise DataError(f"a batch has at least one point, not {size!r}")
    proposals: list[Proposal] = []
    for number in range(size):
        busy = [proposal.x for proposal in proposals]
        warm = proposals[0].hyperparameters if proposals else None
        proposals.append(propose(X, y, busy, rule, _seed(seed, number), warm=warm))
    return tuple(proposals)


def _seed(seed: int, number: int) -> int:
    """The first point is that of propose() with the same seed."""
    return seed if number == 0 else seed_of(seed, number)
