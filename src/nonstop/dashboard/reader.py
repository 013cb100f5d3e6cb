"""The part of a storage that the dashboard may use. What is not here cannot be called: the dashboard never writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nonstop.storage.contract import StudyRecord
from nonstop.trials.messages import Counts, Exchange, Pulse


class Reader(Protocol):
    """The methods of nonstop.storage.contract.Storage that only read: `beat` with no pairs listens to hearts."""

    def list_studies(self) -> Sequence[StudyRecord]: ...
    def exchange(self, study: int, cursor: int) -> Exchange: ...
    def counts(self, study: int) -> Counts: ...
    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]: ...
