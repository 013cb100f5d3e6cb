"""Do results still hold? Some committed runs are made again with the present code, and their queries compared.

A run holds if every query is the same, to 1e-6 (points are kept to 6e-8), and so is every value. A change of the code
shows at once, in the first queries of the model. On another processor, or with another version of NumPy or SciPy,
rounding may be different: that is not visible for a while, and then one maximum is taken for another. So a run that
agrees in its first queries and not in later ones counts as held if it was made with other versions, and does not if
they are the same. AEGIS draws a member of a front, and rounding decides who is in it: with other versions it cannot be
compared.

    holds           all queries agree
    holds until k   the first k queries of the model agree, at least 3
    differs         fewer agree
    rounding        they differ, but it is AEGIS with other versions

Runs of an unknown commit have no queries to compare.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from nonstop_bench import experiment
from nonstop_bench.case import OURS, Case
from nonstop_bench.origin import origin
from nonstop_bench.records import Record, first_lines, unread
from nonstop_bench.run import run

Verdict: TypeAlias = Literal["holds", "holds until", "differs", "rounding"]
_Pile: TypeAlias = Iterator[tuple[str, Record]]

#: Queries closer than this are the same.
CLOSE = 1e-6
#: So many queries of the model have to agree before a difference can be one of rounding. Of 40 runs on Ackley and
#: Powell, made again by the commit that had made them but on another kind of processor, 31 parted, the first after
#: four queries.
ENOUGH = 3
#: Queries of the model that the short form compares.
SHORT = 15


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one run."""

    experiment: str
    record: Record
    verdict: Verdict
    #: Queries of the model that agree, and that were compared.
    agree: int = 0
    compared: int = 0
    #: Versions that are not those of the record: "numpy 2.4.6 then 2.5.0".
    others: str = ""

    @property
    def held(self) -> bool:
        """Does the result stand?"""
        return self.verdict in ("holds", "rounding") or (self.verdict == "holds until" and self.others != "")


def experiments(folder: Path) -> list[str]:
    """The names of the experiments that have records below a folder. Other files of results have other lines."""
    files = [*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.gz")]
    names = {path.relative_to(folder).as_posix().removesuffix(".gz").removesuffix(".jsonl") for path in files}
    return sorted(name for name in names if any('"optimum":' in line for line in first_lines(folder, name)))


def is_unknown(folder: Path, name: str) -> bool:
    """Are the runs of the experiment of an unknown commit? A file has either such runs or others."""
    return all(Record.from_json(line).commit is None for line in first_lines(folder, name))


def repeatable(record: Record) -> bool:
    """Can it be made again here, and come out the same? Not if another optimiser, or the clock, decided."""
    return record.case.optimizer == OURS and record.case.overhead != "measured"


def sample(folder: Path, names: Sequence[str], count: int, seed: int) -> list[tuple[str, Record]]:
    """Some runs at random, one of each experiment, then another of each, and so on."""
    chance = random.Random(seed)
    piles = [_shuffled(folder, name, chance) for name in names]
    chance.shuffle(piles)
    chosen: list[tuple[str, Record]] = []
    while piles and len(chosen) < count:
        piles, drawn = _dealt(piles)
        chosen += drawn
    return chosen[:count]


def _shuffled(folder: Path, name: str, chance: random.Random) -> Iterator[tuple[str, Record]]:
    """The repeatable runs of an experiment in random order, read when they are asked for."""
    lines = unread(folder, name)
    chance.shuffle(lines)
    return ((name, record) for record in map(Record.from_json, lines) if repeatable(record))


def _dealt(piles: list[_Pile]) -> tuple[list[_Pile], list[tuple[str, Record]]]:
    """The piles that are not used up, and the next run of each."""
    drawn = [(pile, next(pile, None)) for pile in piles]
    left = [(pile, run) for pile, run in drawn if run is not None]
    return [pile for pile, _ in left], [run for _, run in left]


def check(chosen: Sequence[tuple[str, Record]], *, short: bool, workers: int | None = None) -> Iterator[Finding]:
    """Make the runs again, and say of each what came out, in any order. The short form makes only their beginnings."""
    waiting: dict[Case, list[tuple[str, Record]]] = {}
    for name, record in chosen:
        waiting.setdefault(beginning(record.case) if short else record.case, []).append((name, record))
    cases = list(waiting)
    alone = workers == 1 or len(cases) < 2
    for made in map(run, cases) if alone else experiment.spread(cases, workers=workers, engine="local", address=None):
        yield from (compared(name, record, made) for name, record in waiting[made.case])


def beginning(case: Case) -> Case:
    """The same run as far as its first queries of the model."""
    few = case.q + SHORT
    return replace(case, evaluations=few if case.evaluations is None else min(few, case.evaluations))


def compared(name: str, record: Record, made: Record) -> Finding:
    """The verdict on a record, from the same run made again, or its beginning."""
    first = record.initial + record.case.q
    n = len(made.value) if made.case != record.case else max(len(made.value), len(record.value))
    same = [agrees(record, made, i) for i in range(n)]
    different = same.index(False) if False in same else n
    agree, of = max(different - first, 0), max(n - first, 0)
    others = other_versions(record.versions or {}, origin().versions)
    verdict: Verdict = "differs"
    if different == n:
        verdict = "holds"
    elif others and record.case.rule == "aegis":
        verdict = "rounding"
    elif agree >= ENOUGH:
        verdict = "holds until"
    return Finding(name, record, verdict, agree, of, others)


def agrees(record: Record, made: Record, i: int) -> bool:
    """Is trial i the same in both? What has no value in one of them, since that run ended, is compared by its query."""
    assert record.points is not None
    assert made.points is not None
    if i >= min(len(record.points), len(made.points)):
        return False
    if np.abs(record.points[i] - made.points[i]).max() > CLOSE:
        return False
    one, other = float(record.value[i]), float(made.value[i])
    known = record.value[np.isfinite(record.value)]
    scale = float(np.ptp(known)) if len(known) else 1.0
    return bool(np.isnan(one) or np.isnan(other) or abs(one - other) <= 1e-4 * scale)


def other_versions(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What rounds differently, in words. A record that does not name its BLAS may have had another one."""
    names = [name for name in ("numpy", "scipy", "blas") if then.get(name) != now.get(name)]
    return ", ".join(f"{name} {then.get(name, 'unknown')} then {now.get(name)} now" for name in names)


def line(finding: Finding, why: str | None) -> str:
    """The finding as a line of a table. `why` the experiment is declared aged; None if it is not."""
    case = finding.record.case
    said = {
        "holds": f"holds, {finding.compared} queries",
        "holds until": f"holds until query {finding.agree} of {finding.compared}",
        "differs": f"differs from query {finding.agree + 1} of {finding.compared} on",
        "rounding": "cannot be compared",
    }[finding.verdict]
    rounding = f" ({finding.others})" if finding.verdict != "holds" and finding.others else ""
    age = "" if finding.held else f"; aged: {why}" if why else "; NOT DECLARED AGED"
    who = f"{finding.experiment} {case.label} seed {case.seed}"
    return f"{who:48} {finding.record.made_by:33} {said}{rounding}{age}"
