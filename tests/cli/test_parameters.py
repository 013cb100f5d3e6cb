"""Parameters in one word."""

from __future__ import annotations

import pytest

from nonstop import Categorical, Float, Int, Ordinal
from nonstop.cli.parameters import parameters_of
from nonstop.errors import StudyFileError


def test_each_kind() -> None:
    words = ["lr=float:1e-5:1e-1:log", "x=float:-5:10", "depth=int:1:12", "n=int:1:1024:log", "loss=cat:l1,l2"]
    assert parameters_of(words) == {
        "lr": Float(1e-5, 1e-1, log=True),
        "x": Float(-5.0, 10.0),
        "depth": Int(1, 12),
        "n": Int(1, 1024, log=True),
        "loss": Categorical(["l1", "l2"]),
    }


def test_steps_factors_and_ordinals() -> None:
    words = ["n=int:16:256:16", "p=float:0:1:0.05", "b=int:16:256:x2:log", "k=int:2:10:2:log", "s=ord:small,2,large"]
    assert parameters_of(words) == {
        "n": Int(16, 256, step=16),
        "p": Float(0, 1, step=0.05),
        "b": Int(16, 256, log=True, step="x2"),
        "k": Int(2, 10, log=True, step=2),
        "s": Ordinal(["small", 2, "large"]),
    }


def test_choices_are_json_where_they_can_be() -> None:
    assert parameters_of(['c=cat:2,2.5,true,null,"3",l1,a:b,{}'])["c"] == Categorical(
        [2, 2.5, True, None, "3", "l1", "a:b", "{}"]
    )


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("lr", "--param lr: expected NAME=float:LOW:HIGH[:STEP][:log]"),
        ("=float:0:1", "expected NAME=float"),
        ("lr=float", "expected NAME=float"),
        ("lr=float:0", "expected NAME=float"),
        ("lr=float:0:1:2:3", "expected NAME=float"),
        ("lr=float:1:2:lag", "got the step 'lag', expected a number, or a factor such as x2, or log"),
        ("lr=gauss:0:1", "expected NAME=float"),
        ("lr=float:a:1", "--param lr=float:a:1: got the bound 'a', expected a number"),
        ("lr=float:0:inf", "expected two finite numbers"),
        ("lr=float:0:1:log", "got log=True with low = 0.0, expected low > 0"),
        ("d=int:1:2.5", "got the bound '2.5', expected a whole number"),
        ("d=int:3:1", "expected low <= high"),
        ("d=int:0:9:2", "got high = 9 with step = 2 from low = 0, expected a high on the grid: 8 or 10"),
        ("d=int:1:9:x2", "got step = 'x2' without log=True"),
        ("o=ord:", "expected at least one"),
        ("c=cat:", "expected at least one"),
        ("c=cat:a,a", "got the choice 'a' twice"),
        ("x=__import__('os').system('true')", "expected NAME=float"),
    ],
)
def test_what_cannot_be_read_is_named(word: str, said: str) -> None:
    with pytest.raises(StudyFileError) as caught:
        parameters_of([word])
    assert said in str(caught.value)


def test_a_name_stands_once() -> None:
    with pytest.raises(StudyFileError, match="'x' is declared twice"):
        parameters_of(["x=int:0:1", "x=int:0:2"])
