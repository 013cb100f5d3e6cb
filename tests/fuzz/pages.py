"""An SQLite file with bytes overwritten: what it says is read, or a NonstopError says that it cannot be."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import nonstop
from nonstop.cli.study_summary import summary_of_study
from nonstop.cli.target import open_existing, open_study
from nonstop.errors import NonstopError
from tests.helpers.fuzzing import check_line, loop

LONG, SHORT = 4000, 60


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Damage files; see tests.helpers.fuzzing.loop."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        sound = _study_at(path)
        return loop(count, seed, deadline_seconds, lambda source: one(source, path, sound))


def _study_at(path: Path) -> bytes:
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "c": nonstop.Categorical(["a", "b"])})
    study = nonstop.create_study(f"sqlite:///{path}", "demo", space=space, initial=3)
    for value in range(12):
        study.tell(study.ask("anna"), float(value))
    study.tell(study.ask("berta"), state="failed", reason="out of memory")
    study.storage.close()
    return path.read_bytes()


def one(source: random.Random, path: Path, sound: bytes) -> None:
    """One file with a few bytes, a run of bytes or a page that is not what it was."""
    damaged = bytearray(sound)
    for _ in range(source.choice((1, 1, 2, 5, 50))):
        start = source.randrange(len(damaged))
        length = source.choice((1, 1, 1, 4, 64, 4096))
        damaged[start : start + length] = source.randbytes(len(damaged[start : start + length]))
    if source.random() < 0.05:
        del damaged[source.randrange(len(damaged)) :]
    for rest in path.parent.glob("runs.db*"):
        rest.unlink(missing_ok=True)  # a connection that is garbage by now may have removed its log
    path.write_bytes(damaged)
    url = f"sqlite:///{path}"
    for read in (_list, _show):
        try:
            read(url)
        except NonstopError as error:
            check_line(error)


def _list(url: str) -> None:
    storage = open_existing(url)
    try:
        for study in storage.list_studies():
            storage.counts(study.id)
    finally:
        storage.close()


def _show(url: str) -> None:
    study = open_study(url, "demo")
    try:
        summary_of_study(study, url, 0.0)
    finally:
        study.storage.close()
