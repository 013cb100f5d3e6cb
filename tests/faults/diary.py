"""What a worker knows to be true, on disk before its next step: the witness against the storage after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Diary:
    """An append-only file of one process; a line is written only after the storage acknowledged what it says."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, kind: str, *facts: Any) -> None:
        os.write(self._file, json.dumps([kind, *facts]).encode() + b"\n")
        os.fsync(self._file)


def read_all(folder: Path) -> Iterator[list[Any]]:
    """The lines of all diaries; the last line of a killed process may be torn, then it never happened."""
    for path in sorted(folder.glob("*.diary")):
        for line in path.read_bytes().split(b"\n")[:-1]:
            yield json.loads(line)
