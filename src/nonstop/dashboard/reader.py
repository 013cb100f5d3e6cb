"""The part of a storage that the dashboard may use. What is not here cannot be called: the dashboard never writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nonstop.acquisition.rules import rule_of
from nonstop.errors import NonstopError
from nonstop.spec import Spec
from nonstop.storage.contract import Exchange, Pulse, StudyRecord
from nonstop.surrogate.model import surrogate_of


class Reader(Protocol):
    """Three methods of nonstop.storage.contract.Storage that only read: `beat` with no pairs listens to hearts."""

    def list_studies(self) -> Sequence[StudyRecord]: ...
    def exchange(self, study: int, cursor: int) -> Exchange: ...
    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]: ...


def spec_of(record: StudyRecord) -> Spec:
    """The study's specification; a rule or surrogate that only its owner can make is replaced by a plain one."""
    try:
        return Spec.from_json(record.spec)
    except NonstopError:
        return Spec.from_json(record.spec, **_stand_ins(record))


def _stand_ins(record: StudyRecord) -> dict[str, str]:
    stand_ins: dict[str, str] = {}
    try:
        rule_of(str(record.spec.get("rule")))
    except NonstopError:
        stand_ins["rule"] = "random"
    try:
        surrogate_of(str(record.spec.get("surrogate")))
    except NonstopError:
        stand_ins["surrogate"] = "paper"
    return stand_ins
