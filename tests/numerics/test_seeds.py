"""Seeds and generators: the same from the same numbers, in any process, and from no others."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from nonstop.numerics.seeds import generator, seed_of


def test_seeds_differ_and_fit_a_column() -> None:
    seeds = {seed_of(study, number) for study in range(40) for number in range(50)}
    assert len(seeds) == 2000
    assert min(seeds) >= 0
    assert max(seeds) < 2**63
    assert seed_of(1, 23) != seed_of(12, 3)
    assert seed_of(0, 10**30) != seed_of(0, 10**30 + 1)


def test_seeds_are_spread_evenly() -> None:
    """Every bit is as often one as zero, and neighbours have nothing in common."""
    bits = np.array([[seed_of(7, number) >> k & 1 for k in range(63)] for number in range(2000)])
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.06
    changed = np.abs(np.diff(bits, axis=0)).mean(axis=0)
    assert np.abs(changed - 0.5).max() < 0.06


def test_generators_are_reproducible_and_independent() -> None:
    assert generator(5).random(4).tolist() == generator(5).random(4).tolist()
    draws = np.array([generator(seed).random(2000) for seed in range(30)])
    assert abs(draws.mean() - 0.5) < 0.01
    correlations = np.corrcoef(draws) - np.eye(30)
    assert np.abs(correlations).max() < 0.1


def test_another_process_agrees() -> None:
    code = "from nonstop.numerics.seeds import *; print(seed_of(3, 4), generator(3, 4).random())"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.split() == [str(seed_of(3, 4)), str(generator(3, 4).random())]
