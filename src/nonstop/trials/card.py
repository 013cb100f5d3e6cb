"""A study as a notebook shows it: how many trials are in which state, the best, the latest failure, the space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nonstop.markup import folded, framed, heading, table, text
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import front_of, rank, violated_by
from nonstop.trials.spec import Spec
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params
from nonstop.wording import duration

#: Rows of the table of the best.
_BEST = 5


def card(name: str, storage: str, spec: Spec, trials: Sequence[Trial]) -> str:
    """The HTML of Study._repr_html_()."""
    counts = {state: sum(trial.state is state for trial in trials) for state in TrialState}
    states = ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "no trial yet"
    parts = [heading(f"Study {text(name)}", f"{text(str(spec.goals))} · {states}"), _best(spec, trials)]
    failed = [trial for trial in trials if trial.state is TrialState.FAILED]
    if failed:
        latest = max(failed, key=lambda trial: trial.sequence)
        parts.append(heading(f"latest failure: trial {latest.number}", text(latest.reason or "no reason given")))
    settings = table(
        [["storage", text(storage)], ["rule", text(str(spec.rule))], ["seed", str(spec.seed)]]
        + [[text(key), text(repr(parameter))] for key, parameter in spec.space.items()]
        + [["where", text(str(constraint))] for constraint in spec.space.constraints]
    )
    return framed(*parts, folded("space and settings", settings))


def _best(spec: Spec, trials: Sequence[Trial]) -> str:
    goals = spec.goals
    completed = [trial for trial in trials if trial.state is TrialState.COMPLETED]
    if not completed:
        return ""
    best = _first(completed, goals)
    rows = [
        [str(trial.number), *_results(trial, goals), *_values(trial.params or {}, spec.space.names), _time(trial)]
        for trial in best
    ]
    results = goals.names if goals.named else ("value",)
    limits = ["violates"] if goals.constraints else []
    return table(rows, ["trial", *map(text, results), *limits, *map(text, spec.space.names), "time"])


def _first(completed: Sequence[Trial], goals: Goals) -> list[Trial]:
    """The best, or those of the front that are the best of the first objective."""
    if not goals.several:
        return sorted(completed, key=lambda trial: rank(trial, goals), reverse=True)[:_BEST]
    first, sign = next(iter(goals.objectives)), float(goals.signs[0])
    return sorted(front_of(completed, goals), key=lambda trial: -sign * trial.outcomes[first])[:_BEST]


def _results(trial: Trial, goals: Goals) -> list[str]:
    if not goals.named:
        return [text(trial.value)]
    violated = [text(", ".join(violated_by(trial, goals)))] if goals.constraints else []
    return [*(text(trial.outcomes[name]) for name in goals.names), *violated]


def _values(params: Params, names: Iterable[str]) -> list[str]:
    """The values by name; of what is not there, none."""
    return [text(params[name]) if name in params else "" for name in names]


def _time(trial: Trial) -> str:
    seconds = duration_of(trial)
    return "" if seconds is None else duration(seconds)
