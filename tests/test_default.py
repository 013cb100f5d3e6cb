"""What a user gets without choosing anything: docs/decisions/0014 has the evidence; no change in passing."""

from __future__ import annotations

import inspect
import math

import numpy as np

import nonstop
from nonstop.acquisition.rules import DEFAULT_OF_MANY, DEFAULT_OF_SEVERAL, DEFAULT_RULE, default_rule, rule_of
from nonstop.cli.studyfile import study_file
from nonstop.surrogate.model import DEFAULT_SURROGATE, surrogate_of
from nonstop.trials.spec import Spec

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


def test_the_preset() -> None:
    assert surrogate_of("nonstop") == nonstop.Surrogate(
        kernel="matern52",
        lengthscale_prior=nonstop.LogNormal(math.sqrt(2.0), math.sqrt(3.0)),
        noise_prior=nonstop.LogNormal(-4.0, 3.0),
        lengthscale_bounds=(2.5e-2, 1e3),
        noise_bounds=(1e-7, 1e1),
        output="compress",
        incumbent="believed",
        max_points=768,
        candidates=128,
        refit=0.1,
        mean="constant",
        close_ups=True,
    )
    ucb, logei = nonstop.KrigingBeliever(nonstop.UCB(2.0)), nonstop.KrigingBeliever(nonstop.LogEI())
    assert rule_of(DEFAULT_RULE) == nonstop.Turns((ucb, ucb, logei))
    assert DEFAULT_SURROGATE == "nonstop"


def test_the_papers_configuration_keeps_its_name() -> None:
    assert surrogate_of("paper") == nonstop.Surrogate(
        kernel="rbf",
        noise_prior=nonstop.LogNormal(-4.0, 1.0),
        noise_bounds=(1e-4, 1e1),
        output="standardize",
        incumbent="observed",
        candidates=1000,
        refit=0.0,
        starts=10,
        around=False,
    )


def test_it_is_the_default_everywhere() -> None:
    """Not given means the default, or what the study has that is there: so create_study() and study files say None."""
    for made in (Spec(SPACE), nonstop.create_study(space=SPACE).spec):
        assert (made.rule, made.surrogate) == (DEFAULT_RULE, DEFAULT_SURROGATE)
    file = study_file({"space": SPACE, "objective": "module:function", "n_trials": 1})
    assert (file.rule, file.surrogate) == (None, None)
    defaults = inspect.signature(nonstop.propose).parameters
    assert (defaults["rule"].default, defaults["surrogate"].default) == (None, DEFAULT_SURROGATE)
    X, y = [[0.1], [0.4], [0.8]], [0.3, 0.9, 0.2]
    assert nonstop.propose(X, y, seed=4).x == nonstop.propose(X, y, rule=DEFAULT_RULE, seed=4).x


def test_several_objectives_have_a_rule_of_their_own() -> None:
    study = nonstop.create_study(space=SPACE, objectives={"a": "minimize", "b": "maximize"})
    assert study.spec.rule == DEFAULT_OF_SEVERAL
    assert nonstop.create_study(space=SPACE, objectives={"a": "minimize"}).spec.rule == DEFAULT_RULE
    X, Y, goals = [[0.1], [0.4], [0.8]], [[0.3, 1.0], [0.9, 2.0], [0.2, 0.5]], ["minimize", "maximize"]
    ours = nonstop.propose(X, Y, goals=goals, seed=4)
    assert ours.x == nonstop.propose(X, Y, rule=DEFAULT_OF_SEVERAL, goals=goals, seed=4).x


def test_which_rules_several_objectives_have() -> None:
    assert rule_of(DEFAULT_OF_SEVERAL) == nonstop.EHVI()
    assert rule_of(DEFAULT_OF_MANY) == nonstop.KrigingBeliever(nonstop.LogEI())
    assert [default_rule(k) for k in (2, 3, 4, 9)] == [DEFAULT_OF_SEVERAL] * 2 + [DEFAULT_OF_MANY] * 2
    four = dict.fromkeys("abcd", "minimize")
    assert nonstop.create_study(space=SPACE, objectives=four).spec.rule == DEFAULT_OF_MANY  # type: ignore[arg-type]


def test_a_stored_study_keeps_what_it_was_made_with() -> None:
    stored = Spec(SPACE, rule="ucb", surrogate="paper").to_json()
    assert (Spec.from_json(stored).rule, Spec.from_json(stored).surrogate) == ("ucb", "paper")


def test_luck_is_not_believed() -> None:
    """Values that rise with x, under noise: the best observed is somewhere to the left, the best believed is."""
    observed, believed = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        study = nonstop.create_study(space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), noisy=True)
        for x in rng.random(40):
            study.add_trial({"x": x}, x + 0.3 * rng.standard_normal())
        belief = study.best_believed
        observed.append(float(str((study.best_trial.params or {})["x"])))
        believed.append(float(str((belief.trial.params or {})["x"])))
        assert abs(belief.mean - believed[-1]) < 4.0 * belief.sd
    assert np.mean(believed) < 0.8 * np.mean(observed)


def test_without_noise_the_best_is_believed() -> None:
    study = nonstop.create_study(space=SPACE)
    for i, j in np.ndindex(5, 5):
        study.add_trial({"x": i / 4, "y": j / 4}, (i / 4 - 0.3) ** 2 + (j / 4 - 0.6) ** 2)
    assert study.best_believed.trial == study.best_trial
    assert abs(study.best_believed.mean - study.best_value) < 1e-3
