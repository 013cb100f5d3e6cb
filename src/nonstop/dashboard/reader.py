"""The part of a storage that the dashboard may use: methods that only read, so that it can never write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nonstop.storage.contract import StudyRecord
from nonstop.trials.messages import Counts, Exchange, Pulse


class Reader(Protocol):
    """The methods of nonstop.storage.contract.Storage that only read."""

    def list_studies(self) -> Sequence[StudyRecord]:
        """All studies."""

    def exchange(self, study: int, cursor: int) -> Exchange:
        """The changes of a study after the cursor."""

    def counts(self, study: int) -> Counts:
        """How many trials are in each state."""

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        """The heartbeats of running trials; called with an empty `mine`, which sends none."""
