"""The table of trials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from nonstop.history import listing
from nonstop.history.view import infeasible
from nonstop.outcomes.goals import Goals
from nonstop.pages.html import cell, moment_of, section, text
from nonstop.space import Categorical, Ordinal
from nonstop.trials.best import front_of
from nonstop.trials.spec import Spec
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, duration, scalar

#: Characters of a reason, and of all notes of a trial.
_REASON: Final = 200


def trial_table(spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    """The table of trials. Its cells are short, because there may be 14,000 of them."""
    if not trials:
        return
    record = listing(spec, trials)
    names, told = spec.space.names, _Told(spec.goals, trials)
    head = ["trial", "state", *told.head, *names, "worker", "time (UTC)", "duration", "reason"]
    noted = any(trial.notes for trial in record.trials)
    head += ["notes"] if noted else []
    best = "front" if spec.goals.several else f"best {record.best}"
    part = f"The {best} and the latest of {record.of:,} trials: <code>nonstop export</code> has all."
    hint = part if record.best else f"All {record.of:,} trials." if record.of > 1 else "The only trial."
    words = {"state", "feasible", "front", "worker", "reason", "notes"} | {
        leaf.name for leaf in spec.space.leaves if isinstance(leaf.parameter, Categorical | Ordinal)
    }
    top = "".join(f"<th{' class=t' if name in words else ''}>{text(name)}</th>" for name in head)
    rows = "".join(f"<tr>{''.join(_cells(trial, told, names, noted))}</tr>" for trial in record.trials)
    table = f'<table class="trials"><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>'
    yield section("Trials", f'<p>{hint}</p><div class="scroll tall" tabindex="0">{table}</div>')


class _Told:
    """The columns with what trials gave: the value; or the outcomes, whether they are feasible, and the front."""

    def __init__(self, goals: Goals, trials: Sequence[Trial]) -> None:
        self.goals = goals
        self.out = infeasible(goals, trials)
        self.front = {trial.number for trial in front_of(trials, goals)} - self.out if goals.several else set()
        marks = ["feasible"] * bool(goals.constraints) + ["front"] * goals.several
        self.head = [*(goals.names if goals.named else ["value"]), *marks]

    def cells(self, trial: Trial) -> Iterable[str]:
        """In the order of the head."""
        if not self.goals.named:
            yield "<td>–</td>" if trial.value is None else f"<td>{scalar(trial.value)}</td>"
            return
        done = trial.state is TrialState.COMPLETED
        yield from (f"<td>{scalar(trial.outcomes[name])}</td>" if done else "<td>–</td>" for name in self.goals.names)
        if self.goals.constraints:
            yield cell("–" if not done else "no" if trial.number in self.out else "yes")
        if self.goals.several:
            yield cell("on it" if trial.number in self.front else "–")


def _cells(trial: Trial, told: _Told, names: Sequence[str], noted: bool) -> Iterable[str]:
    params = trial.params or {}
    time = trial.finished_at or trial.started_at or trial.asked_at
    took = duration_of(trial)
    yield f"<th>{trial.number}</th>{cell(trial.state.value)}"
    yield from told.cells(trial)
    yield from (cell(params[name]) if name in params else "<td>–</td>" for name in names)
    yield cell(trial.worker or "–")
    yield f"<td>{moment_of(time).removesuffix(' UTC')}</td>"
    yield "<td>–</td>" if took is None else f'<td data-v="{took:.6g}">{_took(took)}</td>'
    yield cell(" ".join((trial.reason or "").split())[:_REASON])
    if noted:
        yield cell(assignments(trial.notes)[:_REASON])


def _took(seconds: float) -> str:
    return duration(seconds) if seconds >= 0.0995 else f"{1000.0 * seconds:.0f} ms"
