"""What a study says about its objective: stored, compared, shown, and made an objective again."""

from __future__ import annotations

import pytest

import nonstop
from nonstop.errors import ObjectiveError, StudyMismatchError
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.spec import Spec
from nonstop.workers.command import Command
from nonstop.workers.stored import check_same, described, is_same, objective_from, stored_text

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


@pytest.mark.parametrize("objective", ["train:loss", Command("python train.py --lr {x} 'a b'")])
def test_a_text_for_each_objective_and_back(objective: str | Command) -> None:
    text = stored_text(objective)
    assert text is not None
    assert objective_from(text) == objective
    assert Spec.from_json(Spec(SPACE, objective=text).to_json()).objective == text


def test_a_callable_has_no_text() -> None:
    assert stored_text(lambda _: 1.0) is None
    assert "objective" not in Spec(SPACE).to_json()  # so that earlier versions can read the study


def test_a_password_is_not_stored() -> None:
    text = stored_text(Command("train --db postgresql://me:geheim@host/db {x}")) or ""
    assert "geheim" not in text
    with pytest.raises(ObjectiveError, match="password"):
        objective_from(text)
    with pytest.raises(ObjectiveError, match="newer"):
        objective_from("telepathy x")


def test_white_space_and_quotes_make_no_difference() -> None:
    assert is_same("command python train.py  '{x}'", "command python train.py {x}")
    assert not is_same("command python train.py {x}", "command python train.py {y}")
    assert not is_same("command train:loss", "function train:loss")
    assert is_same("function train:loss", "function examples.train:loss")
    assert not is_same("function train:loss", "function retrain:loss")
    assert described("command a {x}") == "the command `a {x}`"


def test_another_objective_is_named() -> None:
    check_same("demo", None, "function a:b", "")
    check_same("demo", "function a:b", None, "")
    with pytest.raises(StudyMismatchError) as caught:
        check_same("demo", "command a {x}", "command b {x}", "rename it")
    assert "'demo' was made with the command `a {x}`, not the command `b {x}`" in str(caught.value)
    assert str(caught.value).endswith("rename it")


def test_create_study_stores_and_compares() -> None:
    storage = MemoryStorage()
    made = nonstop.create_study(storage, "demo", space=SPACE, objective=Command("a {x}"))
    assert made.spec.objective == "command a {x}"
    for same in (Command("a  {x}"), None, lambda _: 1.0):
        nonstop.create_study(storage, "demo", space=SPACE, objective=same, load_if_exists=True)
    with pytest.raises(StudyMismatchError, match="choose another name"):
        nonstop.create_study(storage, "demo", space=SPACE, objective="a:b", load_if_exists=True)
