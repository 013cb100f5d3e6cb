"""A changed command is another study: it is not mixed with the old one, and the message says how to go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import nonstop
from tests.cli.conftest import Said

Call = Callable[..., Said]
X = ("-p", "x=float:0:1", "--n-trials", "2", "-q")
FIRST, SECOND = "echo --a {x} 1", "echo --b {x} 2"


def best(name: str) -> float:
    return nonstop.load_study("sqlite:///nonstop.db", name).best_value


def test_another_command_under_the_same_name_is_an_error(call: Call) -> None:
    assert call("run", "--command", "sh -c 'echo {x} 1 | wc -w'", *X, "--name", "demo").code == 0
    other = ("run", "--command", "sh -c 'echo {x} | wc -w'", *X, "--name", "demo")
    said = call(*other)
    assert said.code == 2
    assert "made with the command `sh -c 'echo {x} 1 | wc -w'`, not the command `sh -c 'echo {x} | wc -w'`" in said.err
    assert "--name demo-2," in said.err
    assert call("run", "mine:square", *X, "--name", "demo-2").code == 0
    assert "--name demo-3," in call(*other).err
    assert "--changed" in said.err
    assert call(*other, "--changed", "--n-trials", "3").code == 0
    assert call("run", "mine:square", *X, "--name", "new", "--changed").code == 0
    assert call("run", "mine:slow", *X, "--name", "new").code == 2
    assert best("demo") == 1.0
    assert call("run", "--command", "sh -c 'echo  {x} 1 | wc -w'", *X, "--name", "demo").code == 2  # other text


def test_a_worker_with_another_command_is_an_error_too(call: Call) -> None:
    assert call("run", "mine:square", *X, "--name", "demo").code == 0
    words = ("worker", "sqlite:///nonstop.db", "demo")
    said = call(*words, "mine:slow", "--n-trials", "3")
    assert said.code == 2
    assert "the function mine:square, not the function mine:slow" in said.err
    assert call(*words, "mine:square", "--n-trials", "3", "-q").code == 0
    assert call(*words, "mine:slow", "--n-trials", "4", "-q", "--changed").code == 0


def test_default_names_do_not_collide(call: Call, folder: Path) -> None:
    (folder / "train.sh").write_text("echo $1 | cut -c 2-\n")
    first = ("run", "--command", "sh train.sh -1 {x}", *X, "--json")
    second = ("run", "--command", "sh train.sh -2 {x}", *X, "--json")
    assert '"name": "train"' in call(*first).out
    said = call(*second)
    assert '"name": "train-2"' in said.out
    assert "'train' is of another objective" in said.err
    assert '"name": "train"' in call(*first).out
    again = call(*second)
    assert '"name": "train-2"' in again.out
    assert (best("train"), best("train-2")) == (1.0, 2.0)


def test_a_study_of_an_earlier_version_goes_on(call: Call, folder: Path) -> None:
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
    nonstop.create_study(f"sqlite:///{folder / 'nonstop.db'}", "square", space=space).storage.close()
    said = call("run", "mine:square", *X, "--json")
    assert '"name": "square"' in said.out


def test_the_objective_in_a_study_file_may_not_change_either(call: Call, folder: Path) -> None:
    text = 'objective = "mine:{}"\nn_trials = 2\n[space.x]\ntype = "float"\nlow = 0\nhigh = 1\n'
    (folder / "study.toml").write_text(text.format("square"))
    assert call("run", "study.toml", "-q").code == 0
    (folder / "study.toml").write_text(text.format("slow"))
    assert call("run", "study.toml", "-q").code == 2


@pytest.mark.parametrize(("command", "missing"), [("echo {x} 1", "y"), ("echo 1", "x, y")])
def test_a_parameter_without_a_place_is_a_warning(call: Call, command: str, missing: str) -> None:
    words = ("run", "-p", "x=float:0:1", "-p", "y=int:1:9", "--n-trials", "1", "--name", "demo", "--command")
    said = call(*words, f"sh -c '{command}'")
    assert f"the command has no place for {missing}" in said.err
    assert said.err.count("no place") == 1


def test_no_warning_where_all_have_a_place_or_the_command_reads_them(call: Call) -> None:
    words = ("run", "-p", "x=float:0:1", "--n-trials", "1")
    assert "no place" not in call(*words, "--command", "sh -c 'echo {x}'", "--name", "one").err
    reads = "sh -c 'echo $NONSTOP_PARAMS | tr -dc 0-9'"
    assert "no place" not in call(*words, "--command", reads, "--name", "two").err
