"""Wrong declarations: every message names the parameter or the constraint, and says what would be valid."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from nonstop.errors import SpaceError
from nonstop.space import Categorical, Float, Int, Ordinal, Space

NUMBERS: dict[str, Any] = {
    "low": Float(0, 1),
    "high": Float(0, 1),
    "batch": Int(16, 256),
    "model": Categorical(["svm", "forest"]),
    "flag": Categorical([True, False]),
    "mixed": Categorical(["a", 1, None]),
    "learning rate": Float(0, 1),
}

#: A constraint, and fragments of what is said about it; the last one is the column of the caret, if it has one.
WRONG_CONSTRAINTS: list[tuple[Any, list[str], int | None]] = [
    ("lwo < high", ["'lwo < high'", "unknown name 'lwo'", "'low', perhaps?"], 0),
    ("low < hgih", ["unknown name 'hgih'", "'high', perhaps?"], 6),
    ("zzz < 1", ["unknown name 'zzz'", "one of ['low', 'high'"], 0),
    ("low = high", ["cannot read '='", "write == to compare"], 4),
    ("low <> high", ["expected a number, a name or a parenthesis", "'>'"], 5),
    ("low < high &", ["cannot read '&'", 'write "and"'], 11),
    ("low | high", ["cannot read '|'", 'write "or"'], 4),
    ("!flag", ["cannot read '!'", 'write "not"'], 0),
    ("low ^ 2 < 1", ["cannot read '^'", "write ** for a power"], 4),
    ("batch % 2 == 0", ["cannot read '%'", "no remainder"], 6),
    ("batch // 2 == 0", ["expected a number", "'/'"], 7),
    ("model in ['svm']", ["cannot read '['", "no lists"], 9),
    ("low < high high", ["expected an operator or the end", "'high'"], 11),
    ("(low < high", ["expected a closing parenthesis", "the end"], 11),
    ("low < high)", ["expected an operator or the end", "')'"], 10),
    ("low <", ["expected a number", "the end"], 5),
    ("< low", ["expected a number", "'<'"], 0),
    ("low < and high", ["expected a number", "'and'"], 6),
    ("sin(low) < 1", ["no function 'sin'", "abs, min, max, sqrt, log, exp"], 0),
    ("sqrt(low, high) < 1", ["sqrt() takes one argument, got 2"], 0),
    ("min() < 1", ["expected a number", "')'"], 4),
    ("__import__('os').system('x') == 0", ["cannot read '.'", "expected a number"], 16),
    ("__import__('os') == 0", ["no function '__import__'"], 0),
    ("low.__class__ == 1", ["unknown name 'low.__class__'"], 0),
    ("[low] < 1", ["cannot read '['"], 0),
    ("lambda: 1", ["cannot read ':'"], 6),
    ("model == 'svm", ["the quote is not closed"], 9),
    ("`low < 1", ["the backtick is not closed"], 0),
    ("learning rate < 1", ["expected an operator or the end", "'rate'", "backticks"], 9),
    ("low", ["low", "this is a number", "a comparison such as a < b"], 0),
    ("low + 1", ["this is a number", "a comparison"], 0),
    ("'svm'", ["names no parameter", "a comparison"], None),
    ("1 < 2", ["names no parameter", "a comparison"], None),
    ("model < 3", ["< compares numbers", "model is a text", "with == or !="], 0),
    ("model + 1 < 3", ["arithmetic takes numbers", "model is a text"], 0),
    ("model == 'smv'", ["model is never 'smv'", "'svm', perhaps?"], 9),
    ("model == svm", ["svm is no parameter but a choice", "in quotes"], 9),
    ("model == 3", ["never equal", "model is a text", "3.0 is a number"], 9),
    ("low == 'a'", ["never equal", "low is a number"], 7),
    ("flag == 1", ["never equal", "flag is true or false"], 8),
    ("mixed < 2", ["< compares numbers", "mixed is a choice"], 0),
    ("mixed == 'b'", ["mixed is never 'b'", "'a'"], 9),
    ("low and high", ["'and' takes comparisons", "low is a number"], 0),
    ("not low", ["'not' takes comparisons", "low is a number"], 4),
    ("(low < 1) + 1 < 2", ["arithmetic takes numbers"], None),
    ("low < 1e999", ["1e999 is too large"], 6),
    ("", ["it is empty", "a comparison"], None),
    ("   ", ["it is empty"], None),
    ("low < " + "(" * 10**5, ["100,006 characters", "at most 4,000"], None),
    ("low < " + "(" * 1000 + "1" + ")" * 1000, ["nested deeper than 25 levels"], None),
    ("low < " + "-" * 1000 + "1", ["nested deeper than 25 levels"], None),
    ("not " * 500 + "flag", ["nested deeper than 25 levels"], None),
    (3, ["got where = 3", "a list of constraints"], None),
    ([3], ["got the constraint 3", "a function of the params"], None),
    ({"low": "high"}, ["got where = {'low': 'high'}", "a list"], None),
    (["low < high"] * 1001, ["1,001 constraints", "at most 1,000"], None),
]


@pytest.mark.parametrize(("where", "fragments", "column"), WRONG_CONSTRAINTS, ids=lambda value: repr(value)[:60])
def test_wrong_constraints(where: Any, fragments: list[str], column: int | None) -> None:
    with pytest.raises(SpaceError) as error:
        Space(NUMBERS, where=where).complete()
    said = str(error.value)
    assert [fragment for fragment in fragments if fragment not in said] == []
    assert len(said) < 1000
    if column is not None:
        assert said.splitlines()[-1].index("^") - 4 == column


def under(space: Any) -> Categorical:
    return Categorical({"svm": space, "none": None})


WRONG_SPACES: list[tuple[Any, list[str]]] = [
    (lambda: Space({"C": Float(0, 1), "model": under(Space({"C": Int(0, 1)}))}), ["'C'", "always", "model is 'svm'"]),
    (lambda: Space({"model": under(Space({"model": Int(0, 1)}))}), ["'model'", "twice", "model is 'svm'"]),
    (
        lambda: Space({"a": under(Space({"C": Int(0, 1)})), "b": under(Space({"C": Int(0, 1)}))}),
        ["'C'", "twice", "a is 'svm'", "b is 'svm'"],
    ),
    (lambda: Categorical({"svm": {"C": Float(0, 1)}}), ["'svm'", "a Space or None"]),
    (lambda: Categorical({"svm": 3}), ["{'svm': 3}", "a list, or a mapping from each choice to a Space or None"]),
    (lambda: Categorical({}), ["{}", "at least one"]),
    (lambda: Categorical({1: None, "x": None, b"y": None}), ["b'y'", "a string"]),
    (
        lambda: Ordinal({"small": None}),  # type: ignore[arg-type]
        ["'small'", "belong to a Categorical"],
    ),
    (lambda: Ordinal([]), ["[]", "at least one"]),
    (lambda: Ordinal("abc"), ["'abc'", "a list"]),
    (lambda: Ordinal(["a", "a"]), ["'a' twice"]),
    (lambda: Float(0, 1, step=0.3), ["high = 1.0", "step = 0.3", "0.9 or 1.2"]),
    (lambda: Float(0, 1, step=0), ["step = 0", "> 0"]),
    (lambda: Float(0, 1, step=-0.1), ["step = -0.1", "> 0"]),
    (lambda: Float(0, 1, step="0.1"), ["step = '0.1'", '"x2"']),
    (lambda: Float(1, 8, step="x2"), ["'x2' without log=True"]),
    (lambda: Float(1, 8, log=True, step="x1"), ["step = 'x1'", "a factor > 1"]),
    (lambda: Float(1, 8, log=True, step="x" + "9" * 60), ["step = 'x999", "a factor > 1"]),
    (lambda: Float(1, 9, log=True, step="x2"), ["high = 9.0", "8.0 or 16.0"]),
    (lambda: Float(1e-300, 1e300, log=True, step="x1.01"), ["at most 1,000 values"]),
    (lambda: Float(0, 1, step=1e-300), ["step = 1e-300", "distinguishable"]),
    (lambda: Float(0, 1, step=True), ["step = True", "a number > 0"]),
    (lambda: Int(16, 250, step=16), ["high = 250", "step = 16", "240 or 256"]),
    (lambda: Int(0, 9, step=0.5), ["step = 0.5", "a whole number > 0"]),
    (lambda: Int(0, 9, step=0), ["step = 0", "a whole number > 0"]),
    (lambda: Int(1, 8, log=True, step="x1.5"), ["step = 'x1.5'", "a whole factor > 1"]),
    (lambda: Int(16, 100, log=True, step="x2"), ["high = 100", "64 or 128"]),
    (lambda: Int(0, 2**41, step=1), ["2**40 values"]),
    (lambda: Space({"where": Int(0, 1), "b": Int(0, 1)}, where=["b > 0"]), ["'where'", "another name"]),
    (lambda: Space.from_json({"m": {"type": "categorical", "choices": {"a": 3}}}), ["'m'", "'a'", "3"]),
    (lambda: Space.from_json({"m": {"type": "categorical", "choices": [{"value": 1, "spaec": {}}]}}), ["'m'", "space"]),
    (lambda: Space.from_json({"m": {"type": "ordinal", "choices": {"a": {}}}}), ["'m'", "Categorical"]),
    (lambda: Space.from_json({"b": {"type": "int", "low": 0, "high": 1}, "where": [3]}), ["3", "a text"]),
    (lambda: Space.from_json({"b": {"type": "int", "low": 0, "high": 1}, "where": ["c > 0"]}), ["'c'", "'b'"]),
]


@pytest.mark.parametrize(("make", "fragments"), WRONG_SPACES)
def test_wrong_spaces(make: Any, fragments: list[str]) -> None:
    with pytest.raises(SpaceError) as error:
        make()
    assert [fragment for fragment in fragments if fragment not in str(error.value)] == []


def test_a_wrong_table_deep_inside_is_found() -> None:
    text = """
        [space.model]
        type = "categorical"
        [space.model.choices.svm.kernel]
        type = "categorical"
        [space.model.choices.svm.kernel.choices.rbf.gamma]
        type = "float"
        low = 1
        high = 0
    """
    with pytest.raises(SpaceError) as error:
        Space.from_json(tomllib.loads(text)["space"])
    for part in ("'model'", "'svm'", "'kernel'", "'rbf'", "'gamma'", "expected low <= high"):
        assert part in str(error.value)


def test_spaces_inside_each_other_have_an_end() -> None:
    space = Space({"p0": Int(0, 1)})
    for depth in range(1, 50):
        space = Space({f"p{depth}": Categorical({"in": space, "out": None})})
    assert len(space.leaves) == 50
    assert Space.from_json(space.to_json()) == space
    repr(space)
    with pytest.raises(SpaceError, match="51 spaces inside each other, expected at most 50"):
        Space({"p50": Categorical({"in": space, "out": None})})
    table: dict[str, Any] = {"type": "int", "low": 0, "high": 1}
    for _ in range(200):
        table = {"type": "categorical", "choices": {"in": {"p": table}}}
    with pytest.raises(SpaceError, match="inside each other, expected at most 50"):
        Space.from_json({"p": table})


def test_there_are_enough_of_them() -> None:
    assert len(WRONG_CONSTRAINTS) + len(WRONG_SPACES) >= 50
