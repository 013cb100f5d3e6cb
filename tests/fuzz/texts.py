"""Names, workers, reasons and choices of any characters: SQLite gives them back as they were, or as documented."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import nonstop
from nonstop.errors import NonstopError
from nonstop.storage.contract import Storage
from nonstop.wording import printable
from tests.helpers.fuzzing import check_line, loop, number, whole, word

LONG, SHORT = 10_000, 100


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Store texts; see tests.helpers.fuzzing.loop."""
    with tempfile.TemporaryDirectory() as folder:
        storage = nonstop.storage.open_storage(f"sqlite:///{Path(folder) / 'runs.db'}")
        try:
            return loop(count, seed, deadline_seconds, lambda source: one(source, storage))
        finally:
            storage.close()


def one(source: random.Random, storage: Storage) -> None:
    """One study with one failed trial."""
    name, worker, reason = word(source), word(source), word(source)
    try:
        choices = [source.choice((word, number, whole))(source) for _ in range(3)]
        space = nonstop.Space({word(source): nonstop.Categorical(choices)})
        study = nonstop.create_study(storage, f"{source.getrandbits(64)} {name}", space=space)
        trial = study.ask(worker)
        study.tell(trial, state="failed", reason=reason)
    except NonstopError as error:
        check_line(error)
        return
    read = nonstop.load_study(storage, study.name)
    (found,) = read.trials
    assert read.spec == study.spec
    assert (found.params, found.reason, found.worker) == (trial.params, printable(reason), printable(worker))
