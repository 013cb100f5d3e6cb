"""A study that is there goes on as it was made: what is not given is as stored, what is given must be the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop import Float, Int, Space, StudyError, create_study, load_study
from nonstop.errors import DataError, NonstopError, StudyMismatchError
from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.replay import replay
from nonstop.trials.spec import Spec, resumed_spec, spec_for_viewing

PLANE = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
MADE: dict[str, Any] = {
    "direction": "maximize",
    "rule": "ucb",
    "surrogate": "paper",
    "seed": 7,
    "noisy": True,
    "initial": 4,
}


class Plain:
    """A user's rule without a repr of its own: Python's names the place in memory."""

    def score(self, mean: Any, sd: Any, best: float) -> tuple[Any, Any, Any]:  # noqa: ARG002
        return mean, np.ones_like(mean), np.zeros_like(sd)


class Other(Plain):
    pass


@pytest.fixture
def storage() -> Storage:
    return MemoryStorage()


def again(storage: Storage, **given: Any) -> nonstop.Study:
    return create_study(storage, "demo", **{"space": PLANE, "load_if_exists": True, **given})


def test_what_is_not_given_is_as_stored(storage: Storage) -> None:
    made = create_study(storage, "demo", space=PLANE, **MADE)
    resumed = again(storage)
    assert resumed.spec == made.spec
    for study in (made, resumed):
        for _ in range(4):
            trial = study.ask()
            study.tell(trial, float(str((trial.params or {})["x"])))
    report = replay(resumed.spec, resumed.trials)
    assert report.identical
    assert report.model_based == 4


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("direction", "minimize", "direction = maximize, not minimize"),
        ("rule", "logei", "rule = ucb, not logei"),
        ("rule", nonstop.UCB(beta=4.0), "rule = ucb, not UCB(beta=4.0)"),
        ("surrogate", "nonstop", "surrogate = paper, not nonstop"),
        ("seed", 0, "seed = 7, not 0"),
        ("noisy", False, "noisy = True, not False"),
        ("initial", 6, "initial = 4, not 6"),
        ("space", Space({"x": Float(0.0, 2.0)}), "made with space = "),
    ],
)
def test_what_is_given_and_different_is_named(storage: Storage, field: str, value: object, shown: str) -> None:
    create_study(storage, "demo", space=PLANE, **MADE)
    with pytest.raises(StudyMismatchError) as caught:
        again(storage, **{field: value})
    assert "the study 'demo' was made with" in str(caught.value)
    assert shown in str(caught.value)


def test_what_is_given_and_the_same_is_welcome(storage: Storage) -> None:
    made = create_study(storage, "demo", space=PLANE, **MADE)
    assert again(storage, **MADE).spec == made.spec


def test_the_number_of_initial_trials_counts_and_not_how_it_was_said(storage: Storage) -> None:
    create_study(storage, "demo", space=PLANE)
    assert again(storage, initial=6).spec.initial_trials == 6
    with pytest.raises(StudyMismatchError, match="initial"):
        again(storage, initial=5)


def test_objects_are_passed_again(storage: Storage) -> None:
    surrogate = nonstop.Surrogate(kernel="matern52")
    create_study(storage, "demo", space=PLANE, rule=nonstop.UCB(beta=4.0), surrogate=surrogate)
    with pytest.raises(StudyError, match=r"made with the rule object UCB\(beta=4.0\): pass it again, as rule="):
        again(storage)
    with pytest.raises(StudyError, match="surrogate object"):
        load_study(storage, "demo", rule=nonstop.UCB(beta=4.0))
    loaded = load_study(storage, "demo", rule=nonstop.UCB(beta=4.0), surrogate=surrogate)
    assert (loaded.spec.rule, loaded.spec.surrogate) == (nonstop.UCB(beta=4.0), surrogate)
    with pytest.raises(StudyMismatchError, match=r"rule = UCB\(beta=4.0\), not UCB\(beta=9.0\)"):
        load_study(storage, "demo", rule=nonstop.UCB(beta=9.0), surrogate=surrogate)


def test_an_object_is_known_by_its_class_where_it_has_no_repr(storage: Storage) -> None:
    create_study(storage, "demo", space=PLANE, rule=Plain())
    assert isinstance(again(storage, rule=Plain()).spec.rule, Plain)
    with pytest.raises(StudyMismatchError, match="rule"):
        again(storage, rule=Other())


def test_who_only_looks_needs_no_object(storage: Storage) -> None:
    create_study(storage, "demo", space=PLANE, rule=Plain(), surrogate=nonstop.Surrogate())
    spec = spec_for_viewing(storage.load_study("demo").spec)
    assert (spec.rule, spec.surrogate, spec.space) == ("random", "nonstop", PLANE)


def test_wrong_settings_are_refused_before_anything_is_stored(storage: Storage) -> None:
    with pytest.raises(StudyError, match="seed"):
        create_study(storage, "demo", space=Space({"n": Int(1, 3)}), seed=-1)
    assert storage.list_studies() == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rule": 10**5000}, "damaged: its rule is a number of 5001 digits"),
        ({"surrogate": None}, "damaged: its surrogate is None"),
        ({"colour": "red"}, "newer version of nonstop"),
        ({"space": [1]}, "expected a mapping"),
        ({"seed": "\r\n"}, "seed must be"),
    ],
)
def test_a_damaged_spec_is_refused_in_one_line(change: dict[str, object], says: str) -> None:
    """Found by tests/fuzz/records.py."""
    stored = {**Spec(Space({"x": Float(0, 1)})).to_json(), **change}
    with pytest.raises(NonstopError, match=says) as caught:
        spec_for_viewing(stored)
    assert "\n" not in str(caught.value)
    del stored["space"]
    with pytest.raises(NonstopError):
        spec_for_viewing(stored)


def test_the_text_of_an_object_is_one_line() -> None:
    """Found by tests/fuzz/records.py."""
    stored = {**Spec(Space({"x": Float(0, 1)})).to_json(), "rule": "Mine(a=1,\n     b=2)"}
    with pytest.raises(StudyError, match=r"rule object Mine\(a=1,\\n") as caught:
        resumed_spec("demo", stored, {})
    assert "\n" not in str(caught.value)


def test_a_damaged_record_of_a_proposal_is_refused() -> None:
    with pytest.raises(DataError, match="damaged: KeyError"):
        Diagnostics.from_json({"rung": "model", "cursor": 3})
