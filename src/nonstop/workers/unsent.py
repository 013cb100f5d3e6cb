"""Results that the storage has not taken yet, as files beside the run: no end of a process loses one.

    .nonstop-unsent/<id of the report>.json      in the folder where the run was started, or in NONSTOP_SPOOL

A worker keeps a result here as soon as handing it in takes longer than a second, and removes it when it has been handed
in. What is left, because the process was ended meanwhile, the next worker of the same study in the same folder hands
in. The id of the report makes that happen once, however often it is tried.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nonstop.trials.messages import Report
from nonstop.trials.trial import TrialState
from nonstop.types import Params

#: Names another folder than FOLDER in the working directory.
VARIABLE: Final = "NONSTOP_SPOOL"
FOLDER: Final = ".nonstop-unsent"
LOG: Final = logging.getLogger("nonstop")
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """A report in a file, and what was evaluated."""

    path: Path
    report: Report
    params: Params


class Unsent:
    """The files of one study. Without a `creation`, which identifies the study everywhere, nothing is kept."""

    def __init__(self, creation: str, storage: str, folder: Path | None = None) -> None:
        self._creation = creation
        self._storage = storage
        # Absolute, because an objective may change the working directory.
        self._folder = (folder or Path(os.environ.get(VARIABLE) or FOLDER)).absolute()

    def keep(self, report: Report, params: Params) -> Path | None:
        """Write the report to the disk, if it is not there; None, and a warning, if that is impossible."""
        path = self._folder / f"{report.id}.json"
        if not self._creation:
            return None
        try:
            if not path.exists():
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _write(path, self._content(report, params))
        except OSError as error:
            LOG.warning("%s cannot be kept in %s: %s", described(report), self._folder, error)
            return None
        return path

    def _content(self, report: Report, params: Params) -> bytes:
        about = {"format": _FORMAT, "study": self._creation, "storage": self._storage, "params": dict(params)}
        fields = {"id": report.id, "number": report.number, "attempt": report.attempt, "state": report.state.value}
        fields |= {"value": report.value, "reason": report.reason}
        fields |= {"seconds": report.seconds, "notes": dict(report.notes), "outcomes": dict(report.outcomes)}
        return json.dumps({**about, "report": fields}).encode()

    def forget(self, report: Report) -> None:
        """Remove the file of a report that was handed in."""
        if self._creation:
            (self._folder / f"{report.id}.json").unlink(missing_ok=True)

    def left(self) -> Iterator[Kept]:
        """What others left here of this study. Files that cannot be read stay, with a warning."""
        for path in sorted(self._folder.glob("*.json")) if self._creation else ():
            try:
                content = json.loads(path.read_bytes())
                if content["study"] == self._creation:
                    yield Kept(path, _report(content["report"]), dict(content["params"]))
            except FileNotFoundError:  # another worker has handed it in
                continue
            except (OSError, ValueError, KeyError, TypeError) as error:
                LOG.warning("%s is no result that nonstop can read, and stays: %r", path, error)


def described(report: Report) -> str:
    """The result in words."""
    result = report.value if report.value is not None else dict(report.outcomes)
    return f"trial {report.number}" if result == {} else f"trial {report.number} = {result!r}"


def _report(fields: dict[str, Any]) -> Report:
    value = None if fields["value"] is None else float(fields["value"])
    state = TrialState(fields["state"])
    identity = str(fields["id"]), int(fields["number"]), int(fields["attempt"])
    # Earlier versions kept neither seconds nor notes, nor outcomes.
    notes, outcomes = fields.get("notes") or {}, fields.get("outcomes") or {}
    return Report(*identity, state, value, fields["reason"], fields.get("seconds"), notes, outcomes)


def _write(path: Path, content: bytes) -> None:
    """Entirely or not at all, and on the disk before the name is; for this user only."""
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
