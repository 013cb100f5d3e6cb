"""What a study has reached: its best trial, or its front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from nonstop.history.progress import completed
from nonstop.history.view import infeasible
from nonstop.pages.html import Html, html_of, section, table, text, value_cell
from nonstop.plots.words import fitting
from nonstop.space import Categorical, Ordinal, Parameter
from nonstop.trials.best import front_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.wording import scalar, share

#: Characters of all choices of a parameter, and rows of the table of a front.
_CHOICES: Final = 72
_MOST_FRONT: Final = 100


def tiles(spec: Spec, trials: Sequence[Trial]) -> Iterable[tuple[str, str]]:
    """The tiles about what was reached."""
    goals, done = spec.goals, completed(trials)
    out = infeasible(goals, done)
    front = [trial for trial in front_of(done, goals) if trial.number not in out]
    none = "none feasible yet" if done else "none yet"
    if goals.several:
        yield "front", f"{len(front):,} trial{'s' if len(front) > 1 else ''}" if front else none
    else:
        name = next(iter(goals.objectives))
        yield f"best {name}", scalar(front[0].value) if front else none
    if goals.constraints:
        yield "feasible", share(1.0 - len(out) / len(done)) if done else "–"


def best_params(spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    """The best trial of one objective."""
    done = completed(trials)
    if not done:
        yield section("Best params", "<p>There is no completed trial yet.</p>")
        return
    (trial,) = front_of(done, spec.goals)
    params, leaves = trial.params or {}, spec.space.active(trial.params or {})
    rows = [[leaf.name, value_cell(params[leaf.name]), _range(leaf.parameter)] for leaf in leaves]
    reached = f'<span class="n">{scalar(trial.value)},</span>'
    name = next(iter(spec.goals.objectives))
    sentence = f"<p>Trial {trial.number} reached {reached} to {spec.direction} the {text(name)}.</p>"
    if spec.goals.violation(trial.outcomes) > 0.0:
        sentence = f"<p>No trial is feasible yet. Trial {trial.number} violates the constraints least.</p>"
    bounds = [[name, value_cell(trial.outcomes[name]), str(bound)] for name, bound in spec.goals.constraints.items()]
    kept = table(["constraint", "value", "has to be"], bounds) if bounds else ""
    yield section("Best params", sentence + kept + table(["parameter", "value", "searched"], rows))


def front_table(spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    """The trials on the front of several objectives, by the first of them."""
    goals = spec.goals
    front = front_of(trials, goals)
    if not front:
        yield section("The front", "<p>There is no completed trial yet.</p>")
        return
    first = next(iter(goals.objectives))
    rows = [
        [
            value_cell(trial.number),
            *(value_cell(trial.outcomes[name]) for name in goals.names),
            _params(trial),
        ]
        for trial in sorted(front, key=lambda trial: trial.outcomes[first])[:_MOST_FRONT]
    ]
    what = "Of these, what is better in one objective is worse in another" if len(front) > 1 else "Nothing is better"
    if goals.violation(front[0].outcomes) > 0.0:
        what = "No trial is feasible yet; this one violates the constraints least"
    part = f", of which these are {_MOST_FRONT}" if len(front) > _MOST_FRONT else ""
    hint = f"<p>{what}: {text(str(goals))}{part}.</p>"
    yield section("The front", hint + table(["trial", *goals.names, "params"], rows, tall=True))


def _params(trial: Trial) -> Html:
    params = (trial.params or {}).items()
    return Html(", ".join(f"{text(name)}&nbsp;=&nbsp;{html_of(value_cell(value))}" for name, value in params))


def _range(parameter: Parameter) -> str:
    if isinstance(parameter, Categorical | Ordinal):
        return ", ".join(fitting([scalar(choice) for choice in parameter.choices], _CHOICES, 12))
    if parameter.low == parameter.high:
        return "nothing else"
    ends = f"{html_of(value_cell(parameter.low))} to {html_of(value_cell(parameter.high))}"
    step = parameter.step
    steps = "" if step is None else f", times {step[1:]}" if isinstance(step, str) else f" in steps of {scalar(step)}"
    return Html(f"{ends}{html_of(steps)}{' (log)' if parameter.log else ''}")
