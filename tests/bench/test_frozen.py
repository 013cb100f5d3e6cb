"""The paper's configuration is frozen: its numbers, and what it proposes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from nonstop_bench.presets import ELEVEN
from tests.goldens.make_frozen import PATH, proposals, settings

FROZEN = json.loads(PATH.read_text())


def test_the_numbers_of_the_papers_configuration_stay() -> None:
    assert json.loads(json.dumps(settings())) == FROZEN["settings"]
    assert FROZEN["settings"]["ucb"]["surrogate"]["candidates"] == 1000


@pytest.fixture(scope="module")
def found() -> dict[str, list[float]]:
    return proposals()


@pytest.mark.parametrize("rule", ELEVEN)
def test_its_proposals_stay(rule: str, found: dict[str, list[float]]) -> None:
    """To 1e-6: another processor may round differently, but it finds the same maximum."""
    for name in (f"{rule} 2 12", f"{rule} 5 60"):
        assert np.allclose(found[name], FROZEN["proposals"][name], rtol=0.0, atol=1e-6), name
