"""The goals of most studies: one objective that has no name."""

from __future__ import annotations

from typing import Final

from nonstop.outcomes.goals import Goals

MINIMIZE: Final = Goals.of("minimize")
MAXIMIZE: Final = Goals.of("maximize")
