"""The best trial of a study, or the front of several objectives: as JSON, and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from nonstop.cli.terminal import echo, echo_table
from nonstop.errors import StudyError
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import violated_by
from nonstop.trials.trial import Trial
from nonstop.wording import assignments, scalar

if TYPE_CHECKING:
    from nonstop.study import Study

#: Rows of a front that is not all that was asked for.
MOST: Final = 10


def leaders_of(study: Study) -> dict[str, Any]:
    """`best`, the best trial, or None before the first result; and `front`, if the study has several objectives: then
    there is no best. Its trials are in the order of the first objective, the best first."""
    goals, found = study.spec.goals, study.best_trials
    if not goals.several:
        return {"best": _record(found[0], goals) if found else None}
    first, direction = next(iter(goals.objectives.items()))
    ordered = sorted(found, key=lambda trial: trial.outcomes[first], reverse=direction == "maximize")
    return {"best": None, "front": [_record(trial, goals) for trial in ordered]}


def _record(trial: Trial, goals: Goals) -> dict[str, Any]:
    given = {"outcomes": dict(trial.outcomes)} if goals.named else {}
    limits = {"violated": list(violated_by(trial, goals))} if goals.constraints else {}
    noted = {"notes": dict(trial.notes)} if trial.notes else {}
    about = {"number": trial.number, "value": trial.value, **given, **limits}
    return {**about, "params": dict(trial.params or {}), **noted}


def best_line(best: Mapping[str, Any] | None) -> str:
    """0.397 at trial 12: x=0.5"""
    if best is None:
        return "no result yet"
    given = assignments(best["outcomes"]) if "outcomes" in best else scalar(best["value"])
    said = f"{given} at trial {best['number']}: {assignments(best['params'])}"
    if best.get("violated"):
        return f"nothing is feasible yet: the least violating is {said}; it violates {', '.join(best['violated'])}"
    return said


def front_line(front: Sequence[Mapping[str, Any]]) -> str:
    """7 trials"""
    if not front:
        return "no result yet"
    if front[0].get("violated"):
        return best_line(front[0])
    return f"{len(front)} trial{'' if len(front) == 1 else 's'}"


def echo_front(front: Sequence[Mapping[str, Any]], most: int | None = MOST) -> None:
    """Print a row for each trial of a front; at most so many, unless that is None."""
    if not front or front[0].get("violated"):
        return
    names = list(front[0]["outcomes"])
    rows = [
        [str(trial["number"]), *(scalar(trial["outcomes"][name]) for name in names), assignments(trial["params"])]
        for trial in front[:most]
    ]
    echo_table(["trial", *names, "params"], rows)
    if most is not None and len(front) > most:
        echo(f"and {len(front) - most} more: see nonstop best")


def echo_leaders(summary: Mapping[str, Any], width: int) -> None:
    """Print the lines of a summary that say what is best; their words begin after so many characters."""
    if "front" in summary:
        echo(f"{'front':<{width}}{front_line(summary['front'])}")
        return
    echo(f"{'best':<{width}}{best_line(summary['best'])}")


def check_results(study: Study, found: Mapping[str, Any]) -> None:
    """StudyError if nothing can be best yet."""
    if found["best"] is None and not found.get("front"):
        raise StudyError(f"study {study.name!r} has no completed trial yet")
