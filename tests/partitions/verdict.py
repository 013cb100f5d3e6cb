"""After a partition: is every finished evaluation there, once, and does everything add up?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from nonstop.storage.sql import SqlStorage
from nonstop.workers.unsent import FOLDER
from tests.faults import audit


@dataclass(frozen=True)
class Verdict:
    figures: dict[str, int]
    problems: list[str]


def judge(storage: SqlStorage, study: int, folder: Path) -> Verdict:
    evidence = audit.collect(storage, study, folder)
    finished = [value for (value,) in evidence.diary["finished"]]
    logged = Counter(float(result["value"]) for result in evidence.results if result["value"] is not None)
    lost = [value for value in finished if logged[value] == 0]
    twice = [value for value, count in logged.items() if count > 1]
    left = len(list((folder / FOLDER).glob("*.json")))
    problems = audit.problems(evidence)
    problems += [f"lost: the finished evaluation {value}" for value in lost]
    problems += [f"duplicate: {value}" for value in twice]
    problems += [f"unsent: {left} files are left"] if left else []
    figures = {
        "trials": len(evidence.trials),
        "completed": int(evidence.study["completed"]),
        "failed": int(evidence.study["failed"]),
        "finished evaluations": len(finished),
        "late results": sum(not result["counted"] for result in evidence.results),
        "handed on": sum(trial["attempt"] > 1 for trial in evidence.trials),
        "lost": len(lost),
        "duplicates": len(twice),
        "unsent": left,
    }
    return Verdict(figures, problems)
