"""Figures of studies with several outcomes: that there is one for each, and what they say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import numpy as np
import pytest

from nonstop import history, plots
from nonstop.errors import StudyError
from nonstop.plots.front import border
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from tests.helpers.outcomes import measured, told
from tests.helpers.studies import NASTY, THIRTY, study
from tests.plots.test_plots import texts

SHORT = NASTY[:90]
CASES: Mapping[str, tuple[Spec, list[Trial]]] = {
    "none": measured(0, {"a": "minimize", "b": "maximize"}, {"c": ">= 0"}),
    "one": measured(1, {"a": "minimize", "b": "maximize"}, {"c": ">= 0"}),
    "two and one": measured(40, {"a": "minimize", "b": "maximize"}, {"c": ">= 0"}),
    "nothing feasible": measured(12, {"a": "minimize", "b": "maximize"}, {"c": ">= 1e9"}),
    "one objective": measured(30, {"a": "maximize"}, {"b": "<= 0.1", "c": ">= -1"}),
    "one name": measured(20, {"a": "maximize"}),
    "six": measured(40, dict.fromkeys("abcdef", "minimize")),
    "nasty": measured(20, {SHORT: "minimize", "%{x}": "maximize"}, {SHORT + "c": "<= 0"}),
    "thirty parameters": measured(40, {"a": "minimize", "b": "minimize"}, {"c": "<= 0"}, THIRTY),
    "many": measured(3000, {"a": "minimize", "b": "maximize", "e": "minimize"}, {"c": ">= 0"}),
    "huge": told([{"a": 1e300 * i, "b": -1e300 * i} for i in range(9)], {"a": "minimize", "b": "minimize"}),
    "constant": told([{"a": 1.0, "b": 2.0}] * 9, {"a": "minimize", "b": "minimize"}, None, {"n": 3.0}),
}


@pytest.mark.parametrize("case", CASES)
def test_there_is_every_figure_of_every_outcome(case: str) -> None:
    spec, trials = CASES[case]
    for name in plots.figures_of(spec.goals):
        for outcome in (None, *spec.goals.names[:3]) if name in plots.BY_OUTCOME else (None,):
            drawn = plots.draw(name, spec, trials, outcome).to_json()
            assert json.loads(drawn)["layout"]["height"] >= 200
            assert len(drawn) < 700_000


def test_no_name_of_an_outcome_becomes_a_tag() -> None:
    spec, trials = CASES["nasty"]
    for name in plots.figures_of(spec.goals):
        drawn = json.loads(plots.draw(name, spec, trials).to_json())
        drawn["layout"].pop("meta", None)  # plain text for pages
        found = {tag for text in texts(drawn) for tag in re.findall(r"<[^>]*>", text)}
        assert found <= {"<b>", "</b>", "<br>", "<extra>", "</extra>"}, name
        assert not [text for text in texts(drawn) if "%{x} %{" in text], name


def test_each_study_has_its_figures() -> None:
    names = {case: list(plots.figures_of(CASES[case][0].goals)) for case in CASES}
    assert names["two and one"][:3] == ["front", "trace", "constraints"]
    assert names["one objective"][:2] == ["trace", "constraints"]
    assert names["six"][:2] == ["front", "trace"]
    assert names["one name"] == list(plots.FIGURES)
    for goals in (spec.goals for spec, _ in CASES.values()):
        assert plots.captions_of(goals, plots.figures_of(goals)).keys() == plots.figures_of(goals).keys()


def test_a_figure_that_a_study_does_not_have_is_an_error_with_the_names() -> None:
    spec, trials = CASES["one objective"]
    with pytest.raises(StudyError, match="'front' needs several objectives: use one of trace, constraints, timeline"):
        plots.draw("front", spec, trials)
    with pytest.raises(StudyError, match="'constraints' needs constraints: use one of trace, timeline"):
        plots.draw("constraints", *study(n=3))
    with pytest.raises(StudyError, match=r"no figure 'fronts': use one of front, trace, .*check, hypervolume"):
        plots.draw("fronts", *CASES["two and one"])
    with pytest.raises(StudyError, match="'timeline' is of all outcomes: leave out outcome='a'"):
        plots.draw("timeline", spec, trials, "a")


def test_the_trace_of_several_objectives_is_the_hypervolume() -> None:
    spec, trials = CASES["two and one"]
    trace, volume = (plots.draw(name, spec, trials) for name in ("trace", "hypervolume"))
    assert trace.to_json() == volume.to_json()
    assert "reference point a = " in trace.layout.meta["note"]
    assert "first 20 feasible results" in trace.layout.meta["note"]
    assert plots.draw("trace", spec, trials, "b").layout.title.text.startswith("Best b ")


def test_the_constraint_has_its_bound_as_a_line() -> None:
    for name, outcome in (("constraints", None), ("trace", "c"), ("slices", "c")):
        figure = plots.draw(name, *CASES["two and one"], outcome)
        assert next(shape.y0 for shape in figure.layout.shapes) == 0.0
        assert "&gt;= 0" in [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize("first", ["minimize", "maximize"])
@pytest.mark.parametrize("second", ["minimize", "maximize"])
def test_the_steps_are_the_border_of_what_is_dominated(first: str, second: str) -> None:
    rng = np.random.default_rng(3)
    found = [{"a": float(a), "b": float(b)} for a, b in rng.random((60, 2))]
    spec, trials = told(found, {"a": first, "b": second})  # type: ignore[dict-item]
    x, y = border(history.front(spec, trials))
    shape = "hv" if first == "minimize" else "vh"
    figure = plots.draw("front", spec, trials)
    assert figure.data[0].line.shape == shape
    signs, Y = spec.goals.signs, spec.goals.signed(found)
    for a, b in rng.random((200, 2)):  # a point is dominated if it is on the bad side of the steps
        dominated = bool((np.array([a, b]) * signs <= Y).all(axis=1).any())
        assert dominated == _beyond(x, y, a, b, shape, signs)


def _beyond(x, y, a, b, shape, signs) -> bool:  # type: ignore[no-untyped-def]
    """Whether a point is on the bad side of a line of steps, at the height of the line there."""
    inside = (x.min() <= a) & (a <= x.max())
    if not inside:
        return bool(signs[0] * a < (signs[0] * x).min() and signs[1] * b <= (signs[1] * y).max())
    at = int(np.searchsorted(x, a, side="right")) - 1
    height = y[min(at, len(y) - 1)] if shape == "hv" else y[min(at + 1, len(y) - 1)]
    return bool(signs[1] * b <= signs[1] * height)
