"""After the storm: does the storage hold what it acknowledged, exactly once, and does it add up?"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Table, select

from nonstop.storage.schema import results, studies, trials
from nonstop.storage.sql import SqlStorage
from nonstop.trials.trial import TrialState
from tests.faults.diary import read_all


@dataclass(frozen=True)
class Evidence:
    """The tables of one study, and everything the workers were told."""

    study: dict[str, Any]
    trials: list[dict[str, Any]]
    results: list[dict[str, Any]]
    diary: dict[str, list[list[Any]]]


def collect(storage: SqlStorage, study: int, folder: Path) -> Evidence:
    def rows(table: Table, key: str) -> list[dict[str, Any]]:
        query = select(table).where(table.c[key] == study)
        return storage._database.read(lambda connection: [dict(row._mapping) for row in connection.execute(query)])

    diary: dict[str, list[list[Any]]] = defaultdict(list)
    for kind, *facts in read_all(folder):
        diary[kind].append(facts)
    return Evidence(rows(studies, "id")[0], rows(trials, "study_id"), rows(results, "study_id"), diary)


def problems(evidence: Evidence) -> list[str]:
    checks = (numbers, counters, sequences, orders, acknowledged, decided, grants, leases, violations)
    return [problem for check in checks for problem in check(evidence)]


def numbers(evidence: Evidence) -> Iterator[str]:
    found = sorted(trial["number"] for trial in evidence.trials)
    if found != list(range(len(found))):
        twice = [number for number, count in Counter(found).items() if count > 1]
        yield f"numbers: duplicate {twice[:5]}, missing {sorted(set(range(len(found))) - set(found))[:5]}"


def counters(evidence: Evidence) -> Iterator[str]:
    truth = Counter(trial["state"] for trial in evidence.trials)
    for state in TrialState:
        if evidence.study[state.value] != truth[state.value]:
            yield f"counters: {evidence.study[state.value]} {state} counted, {truth[state.value]} there"
    for state in (TrialState.PROPOSING, TrialState.RUNNING, TrialState.WAITING):
        if truth[state.value]:
            yield f"stuck: {truth[state.value]} trials are {state} for good"


def sequences(evidence: Evidence) -> Iterator[str]:
    found = [trial["sequence"] for trial in evidence.trials]
    if len(set(found)) != len(found) or max(found, default=0) != evidence.study["sequence"]:
        yield f"sequence: {len(found) - len(set(found))} taken twice, newest {max(found, default=0)}"


def orders(evidence: Evidence) -> Iterator[str]:
    found = sorted(trial["place"] for trial in evidence.trials if trial["place"] is not None)
    completed = sum(trial["state"] == TrialState.COMPLETED.value for trial in evidence.trials)
    if found != list(range(1, completed + 1)):
        yield f"order: the places of {completed} results are not 1, 2, …"


def acknowledged(evidence: Evidence) -> Iterator[str]:
    """Not one acknowledged result may be lost or changed, late ones included."""
    logged = {result["id"]: result for result in evidence.results}
    for report_id, number, _attempt, state, value, outcomes in evidence.diary["result"]:
        result = logged.get(report_id)
        kept = result is not None and (result["number"], result["state"]) == (number, state)
        if not kept or result is None or _given(result) != (value, outcomes):
            yield f"lost: the acknowledged result {report_id} of trial {number}"
    known = {trial["number"]: trial["insert_id"] for trial in evidence.trials}
    for number, request_id in evidence.diary["insert"]:
        if known.get(number) != request_id:
            yield f"lost: the acknowledged insert {request_id}"


def _given(row: dict[str, Any]) -> tuple[float | None, dict[str, float]]:
    """Value and outcomes of a row of either table."""
    value, outcomes = row["value"], row["outcomes"]
    return None if value is None else float(value), {} if outcomes is None else json.loads(outcomes)


def decided(evidence: Evidence) -> Iterator[str]:
    """Every completed trial has exactly one result that counted, its value and its outcomes."""
    counted: dict[int, list[tuple[float | None, dict[str, float]]]] = defaultdict(list)
    for result in evidence.results:
        if result["counted"] and result["state"] == TrialState.COMPLETED.value:
            counted[result["number"]].append(_given(result))
    for trial in evidence.trials:
        expected = [_given(trial)] if trial["state"] == TrialState.COMPLETED.value else []
        if counted[trial["number"]] != expected:
            yield f"decided: trial {trial['number']} has {expected}, its results say {counted[trial['number']]}"


def grants(evidence: Evidence) -> Iterator[str]:
    """An attempt at a trial is given to one request only, and started with one point only."""
    for kind in ("grant", "start"):
        given: dict[tuple[int, int], set[object]] = defaultdict(set)
        for number, attempt, what in evidence.diary[kind]:
            given[number, attempt].add(what)
        for key, whats in given.items():
            if len(whats) > 1:
                yield f"{kind}: attempt {key[1]} at trial {key[0]} went to {sorted(map(str, whats))}"


def leases(evidence: Evidence) -> Iterator[str]:
    """An attempt ends once, and never after a heartbeat newer than the one that was seen to stand still."""
    ended: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, attempt, beat in evidence.diary["handed on"]:
        ended[number, attempt].append(beat)
    for key, beats in ended.items():
        if len(beats) > 1:
            yield f"lease: attempt {key[1]} at trial {key[0]} was handed on {len(beats)} times"
    for number, attempt, beat in evidence.diary["beat"]:
        if any(beat > seen for seen in ended.get((number, attempt), [])):
            yield f"lease: attempt {attempt} at trial {number} was handed on though its heart beat {beat} times"


def violations(evidence: Evidence) -> Iterator[str]:
    """What workers themselves saw go wrong while it happened."""
    for (violation,) in evidence.diary["violation"]:
        yield f"reader: {violation}"
    for (error,) in evidence.diary["crash"]:
        yield f"crash: {error}"


def figures(evidence: Evidence) -> dict[str, int]:
    states = Counter(trial["state"] for trial in evidence.trials)
    return {
        "trials": len(evidence.trials),
        "completed": states[TrialState.COMPLETED.value],
        "failed": states[TrialState.FAILED.value],
        "acknowledged results": len(evidence.diary["result"]),
        "late results": sum(not result["counted"] for result in evidence.results),
        "heartbeats": len(evidence.diary["beat"]),
        "handed on": len(evidence.diary["handed on"]),
        "changes": evidence.study["sequence"],
    }
