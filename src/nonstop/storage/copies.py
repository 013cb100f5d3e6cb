"""Copies of studies, inside a storage or from one to another."""

from __future__ import annotations

from nonstop.storage.contract import Storage, StudyRecord
from nonstop.storage.text import no_id
from nonstop.trials.copying import copied


def copy_study(source: Storage, study: int, target: Storage, name: str, empty: bool = False) -> StudyRecord:
    """An exact copy of a study under this name in the target storage; if it is to be `empty`, without trials.

    Trials that are running in the original are waiting in the copy."""
    original = next((record for record in source.list_studies() if record.id == study), None)
    if original is None:
        raise no_id(study)
    if empty:
        return target.create_study(name, original.spec)
    return target.restore_study(name, original, copied(source.exchange(study, 0).changes))
