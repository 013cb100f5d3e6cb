"""Several outcomes from the command line: how they are asked for, told, shown, and taken from file to file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import nonstop
from tests.cli.conftest import Said

Call = Callable[..., Said]
GOALS = ("--minimize", "error", "--maximize", "speed", "--subject-to", "memory <= 8")
SPACE = ("-p", "x=float:0:1", "-p", "n=int:1:4")


def opened(folder: Path, name: str = "lab") -> nonstop.Study:
    return nonstop.load_study(f"sqlite:///{folder / 'lab.db'}", name)


def made(call: Call, *options: str, name: str = "lab") -> None:
    said = call("create", *SPACE, *options, "--initial", "99", "--name", name, "--storage", "sqlite:///lab.db")
    assert said.code == 0, said.err


@pytest.fixture
def lab(call: Call, folder: Path) -> nonstop.Study:
    """Five results, of which three are the front and one is infeasible; a failure; and one that runs."""
    made(call, *GOALS)
    study = opened(folder)
    results = [(0.5, 5.0, 7.0), (0.1, 1.0, 7.5), (0.6, 4.0, 2.0), (0.0, 9.0, 8.5), (0.3, 2.0, 8.0)]
    for error, speed, memory in results:
        study.tell(study.ask(), {"error": error, "speed": speed, "memory": memory, "epochs": 3})
    study.tell(study.ask(), state="failed", reason="the outcome 'speed' is missing")
    study.ask()
    return study


def test_options_say_what_is_wanted(call: Call, folder: Path) -> None:
    made(call, *GOALS, "--minimize", "latency")
    goals = opened(folder).spec.goals
    assert dict(goals.objectives) == {"error": "minimize", "latency": "minimize", "speed": "maximize"}
    assert {name: str(bound) for name, bound in goals.constraints.items()} == {"memory": "<= 8.0"}


def test_a_single_one_and_a_constraint_of_the_value(call: Call, folder: Path) -> None:
    made(call, "--minimize", "error", name="one")
    assert opened(folder, "one").spec.objectives == {"error": "minimize"}
    made(call, "--direction", "maximize", "--subject-to", "memory>=-2e3", name="value")
    spec = opened(folder, "value").spec
    assert (spec.direction, spec.objectives, spec.constraints) == ("maximize", None, {"memory": ">= -2000.0"})
    assert str(spec.goals) == "maximize value, subject to memory >= -2000.0"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--minimize", "error", "--direction", "minimize"], "direction = 'minimize' is for one objective"),
        (["--minimize", "error", "--maximize", "error"], "--maximize error: error is an objective already"),
        (["--minimize", " "], "--minimize ' ': the name of an outcome must be a text of 1 to 100 printable"),
        (["--minimize", "a", "--subject-to", "a <= 1"], "'a' is both an objective and a constraint"),
        (["--subject-to", "memory < 8"], "--subject-to 'memory < 8': the constraint on 'memory' must be"),
        (["--subject-to", "memory <= much"], "--subject-to 'memory <= much': the constraint on 'memory' must be"),
        (["--subject-to", "memory <= nan"], "the constraint on 'memory' must be"),
        (["--subject-to", "8 >= memory"], "expected NAME <= NUMBER or NAME >= NUMBER"),
        (["--subject-to", "memory"], "expected NAME <= NUMBER or NAME >= NUMBER"),
        (["--subject-to", "<= 8"], "expected NAME <= NUMBER or NAME >= NUMBER"),
        (["--subject-to", "m <= 8", "--subject-to", "m >= 1"], "m has the constraint <= 8 already"),
    ],
)
def test_what_makes_no_sense(call: Call, folder: Path, options: list[str], expected: str) -> None:
    said = call("create", *SPACE, *options, "--name", "lab", "--storage", "sqlite:///lab.db")
    assert said.code == 2
    assert expected in said.err
    assert said.err.count("\n") == 1
    assert not (folder / "lab.db").exists()


FILE = """
objective = "mine:square"
n_trials = 4
[objectives]
error = "minimize"
speed = "maximize"
[constraints]
memory = "<= 8"
[space.x]
type = "float"
low = 0
high = 1
"""


def test_a_study_file_says_it_in_tables(call: Call, folder: Path) -> None:
    (folder / "lab.toml").write_text(FILE)
    assert call("create", "lab.toml", "--storage", "sqlite:///lab.db").code == 0
    assert str(opened(folder).spec.goals) == "minimize error, maximize speed, subject to memory <= 8.0"
    more = ("--subject-to", "memory <= 4", "--subject-to", "heat <= 60", "--minimize", "error")
    assert call("create", "lab.toml", "--storage", "sqlite:///lab.db", "--name", "other", *more).code == 0
    assert str(opened(folder, "other").spec.goals) == "minimize error, subject to memory <= 4.0, heat <= 60.0"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"<= 8"', '"< 8"', 'lab.toml: constraints = {"memory": "< 8"}: the constraint on \'memory\''),
        ('"<= 8"', "8", "must be a text such as '<= 8.0' or '>= 0.9', not 8"),
        ('speed = "maximize"', 'speed = "max"', "the objective 'speed' must be 'minimize' or 'maximize', not 'max'"),
        ('error = "minimize"\nspeed = "maximize"', "", "lab.toml: objectives = {}: objectives must be a mapping"),
        ("memory", "speed", "'speed' is both an objective and a constraint"),
        ("n_trials = 4", 'n_trials = 4\ndirection = "maximize"', "direction = 'maximize' is for one objective"),
        ("[constraints]", "[constraint]", "there is no such key; did you mean 'constraints'?"),
    ],
)
def test_a_study_file_that_is_wrong(call: Call, folder: Path, old: str, new: str, expected: str) -> None:
    assert old in FILE
    (folder / "lab.toml").write_text(FILE.replace(old, new))
    said = call("run", "lab.toml")
    assert said.code == 2
    assert expected in said.err


def test_tell_takes_outcomes_by_name(call: Call, folder: Path) -> None:
    made(call, *GOALS)
    for _ in range(4):
        call("ask", "lab.db", "lab")
    assert call("tell", "lab.db", "lab", "0", "error=0.1", "speed=-3.5", "memory=7", "host=rig-3").code == 0
    assert call("tell", "lab.db", "1", "error=0.2", "speed=1e2", "memory=9", "--note", "epochs=3").code == 0
    first, second, *_ = opened(folder).trials
    assert first.outcomes == {"error": 0.1, "speed": -3.5, "memory": 7.0}
    assert (first.value, first.notes) == (None, {"host": "rig-3"})
    assert (second.outcomes["speed"], second.notes) == (100.0, {"epochs": 3})
    assert call("tell", "lab.db", "lab", "2", "--failed").code == 0


def test_tell_reads_outcomes_as_json(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    made(call, *GOALS)
    call("ask", "lab.db", "lab"), call("ask", "lab.db", "lab")
    flat = {"number": 0, "params": {"x": 1}, "error": 0.1, "speed": 2, "memory": 3.5, "epochs": 3}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(flat)))
    assert call("tell", "lab.db", "lab").code == 0
    table = {"number": 1, "outcomes": {"error": 0.1, "speed": 2, "memory": 3.5}, "notes": {"epochs": 3}}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(table)))
    assert call("tell", "lab.db", "lab").code == 0
    first, second = opened(folder).trials
    assert first.outcomes == second.outcomes == {"error": 0.1, "speed": 2.0, "memory": 3.5}
    assert first.notes == second.notes == {"epochs": 3}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["error=0.1", "sped=3", "memory=7"], "the outcome 'speed' is missing among ['error', 'sped', 'memory']"),
        (["error=0.1", "speed=nan", "memory=7"], "the outcome 'speed' is nan, not a finite number"),
        (["error=0.1", "speed=fast", "memory=7"], "the outcome 'speed' is 'fast', not a finite number"),
        (["error=0.1", "error=0.2"], "error is given twice"),
        (["0.1"], "the study has the outcomes {'error': ..., 'speed': ..., 'memory': ...}: tell all of them"),
        (["error=0.1", "--failed"], "a failed trial has no value"),
    ],
)
def test_what_tell_refuses(call: Call, folder: Path, words: list[str], expected: str) -> None:
    made(call, *GOALS)
    call("ask", "lab.db", "lab")
    said = call("tell", "lab.db", "lab", "0", *words)
    assert said.code != 0
    assert expected in said.err
    assert opened(folder).trials[0].state == "running"


def test_one_named_objective_may_be_told_as_a_value(call: Call, folder: Path) -> None:
    made(call, "--maximize", "speed", name="one")
    made(call, "--subject-to", "memory <= 8", name="value")
    for name in ("one", "value"):
        call("ask", "lab.db", name)
    assert call("tell", "lab.db", "one", "0", "3.5").code == 0
    assert call("tell", "lab.db", "value", "0", "value=3.5", "memory=9").code == 0
    assert (opened(folder, "one").best_value, opened(folder, "one").trials[0].outcomes) == (3.5, {"speed": 3.5})
    assert opened(folder, "value").best_trial.outcomes == {"value": 3.5, "memory": 9.0}


def test_a_plain_study_is_told_as_before(call: Call, folder: Path) -> None:
    made(call, name="plain")
    call("ask", "lab.db", "plain"), call("ask", "lab.db", "plain")
    assert call("tell", "lab.db", "plain", "0", "0.5").code == 0
    assert call("tell", "lab.db", "plain", "1", "value=0.25", "epochs=3").code == 0
    first, second = opened(folder, "plain").trials
    assert [(trial.value, trial.outcomes, trial.notes) for trial in (first, second)] == [
        (0.5, {}, {}),
        (0.25, {}, {"epochs": 3}),
    ]


@pytest.mark.usefixtures("lab")
def test_best_is_the_front(call: Call) -> None:
    said = call("best", "lab.db", "lab")
    assert [line.split()[:4] for line in said.out.splitlines()] == [
        ["trial", "error", "speed", "memory"],
        ["1", "0.1", "1", "7.5"],
        ["4", "0.3", "2", "8"],
        ["0", "0.5", "5", "7"],
    ]
    front = json.loads(call("best", "lab.db", "lab", "--json").out)["front"]
    assert [trial["number"] for trial in front] == [1, 4, 0]
    assert front[0]["outcomes"] == {"error": 0.1, "speed": 1.0, "memory": 7.5}
    assert (front[0]["violated"], front[0]["notes"], front[0]["value"]) == ([], {"epochs": 3}, None)


@pytest.mark.usefixtures("lab")
def test_show_and_ls_say_the_goals(call: Call) -> None:
    said = call("show", "lab.db", "lab").out
    assert "about   x, n by " in said
    assert "goals   minimize error, maximize speed, subject to memory <= 8.0\n" in said
    assert "front   3 trials\n" in said
    assert "1  the outcome 'speed' is missing" in " ".join(said.replace("1       ", "1  ").splitlines())
    summary = json.loads(call("show", "lab.db", "lab", "--json").out)
    assert summary["objectives"] == {"error": "minimize", "speed": "maximize"}
    assert summary["constraints"] == {"memory": "<= 8.0"}
    assert (summary["best"], summary["direction"], len(summary["front"])) == (None, None, 3)
    assert "minimize error, maximize speed, subject to memory <= 8.0" in call("ls", "lab.db").out
    assert json.loads(call("ls", "lab.db", "--json").out)[0]["constraints"] == {"memory": "<= 8.0"}


def test_before_anything_is_feasible(call: Call, folder: Path) -> None:
    made(call, "--minimize", "error", "--subject-to", "memory <= 8", "--subject-to", "heat <= 60")
    assert "has no completed trial yet" in call("best", "lab.db", "lab").err
    study = opened(folder)
    study.tell(study.ask(), {"error": 0.1, "memory": 16.0, "heat": 90.0})
    study.tell(study.ask(), {"error": 0.2, "memory": 9.0, "heat": 50.0})
    said = call("best", "lab.db", "lab").out
    assert said.startswith("nothing is feasible yet: the least violating is error=0.2, memory=9, heat=50 at trial 1: ")
    assert said.endswith("; it violates memory\n")
    assert json.loads(call("best", "lab.db", "lab", "--json").out)["violated"] == ["memory"]
    study.tell(study.ask(), {"error": 0.7, "memory": 8.0, "heat": 60.0})
    assert call("best", "lab.db", "lab").out.startswith("error=0.7, memory=8, heat=60 at trial 2: ")
    assert "best    error=0.7, memory=8, heat=60 at trial 2: " in call("show", "lab.db", "lab").out


def test_the_front_before_anything_is_feasible(call: Call, folder: Path) -> None:
    made(call, *GOALS)
    assert "has no completed trial yet" in call("best", "lab.db", "lab").err
    assert "front   no result yet" in call("show", "lab.db", "lab").out
    study = opened(folder)
    study.tell(study.ask(), {"error": 0.1, "speed": 1.0, "memory": 16.0})
    said = call("best", "lab.db", "lab").out
    assert said.startswith("nothing is feasible yet: the least violating is error=0.1, speed=1, memory=16 at trial 0: ")


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
@pytest.mark.usefixtures("lab")
def test_exports_come_back(call: Call, folder: Path, form: str) -> None:
    assert call("export", "lab.db", "lab", "--format", form, "-o", f"trials.{form}").code == 0
    made(call, *GOALS, name="again")
    said = call("import", "lab.db", "again", f"trials.{form}")
    assert said.out == "added 7 trials to again: 5 completed, 1 failed, 1 to evaluate\n"
    known = [(trial.outcomes, trial.value, trial.params, trial.notes) for trial in opened(folder).trials]
    copies = opened(folder, "again").trials
    assert [(trial.outcomes, trial.value, trial.params, trial.notes) for trial in copies] == known
    assert "7 are there already" in call("import", "lab.db", "again", f"trials.{form}").out


@pytest.mark.usefixtures("lab")
def test_the_columns_of_a_table(call: Call) -> None:
    header, first, *_ = call("export", "lab.db", "lab").out.splitlines()
    assert header.startswith("number,state,value,outcomes_error,outcomes_speed,outcomes_memory,params_x,params_n,")
    assert first.startswith("0,completed,,0.5,5.0,7.0,")
    assert not header.endswith("outcomes")


def test_a_table_made_by_hand(call: Call, folder: Path) -> None:
    made(call, *GOALS)
    (folder / "hand.csv").write_text("x,n,error,speed,memory,note_host\n0.5,2,0.1,3,7.5,rig\n0.25,1,0.2,4,9,rig\n")
    assert call("import", "lab.db", "lab", "hand.csv").code == 0
    assert [trial.outcomes["memory"] for trial in opened(folder).trials] == [7.5, 9.0]
    (folder / "short.csv").write_text("x,n,error,speed,memory\n0.5,2,0.1,3,\n0.5,2,0.1,,7\n0.5,2,0.1,inf,7\n")
    said = call("import", "lab.db", "lab", "short.csv")
    assert said.code == 2
    assert "line 2: the outcome 'memory' is missing" in said.err
    assert "line 3: the outcome 'speed' is missing" in said.err
    assert "line 4: the outcome 'speed' is inf, not a finite number" in said.err
    assert len(opened(folder).trials) == 2


def test_until_a_value_is_for_one_objective(call: Call, folder: Path) -> None:
    (folder / "lab.toml").write_text(FILE)
    said = call("run", "lab.toml", "--until", "value 0.1")
    assert "until: value is for one objective, and there are 2" in said.err
    assert said.code != 0


def test_other_goals_are_another_study(call: Call, folder: Path) -> None:
    target = ("mine:square", "-p", "x=float:0:1", "--storage", "sqlite:///lab.db")
    assert call("create", *target, "--minimize", "error", "--subject-to", "memory <= 8").code == 0
    assert str(opened(folder, "square").spec.goals) == "minimize error, subject to memory <= 8.0"
    for others in (
        ["--maximize", "error"],
        ["--minimize", "loss"],
        ["--minimize", "error", "--subject-to", "memory<=9"],
    ):
        said = call("run", *target, *others, "--n-trials", "1")
        assert said.code == 2
        assert "the study 'square' was made with " in said.err
        assert "choose another name" in said.err
    assert not opened(folder, "square").trials
