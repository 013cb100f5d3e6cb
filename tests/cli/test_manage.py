"""create, ask, tell, enqueue, retry, rename, copy, delete, import: what they do, say and refuse."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import nonstop
from nonstop.trials.trial import TrialState
from tests.cli.conftest import Said
from tests.helpers.commands import completed, run, start, wait_until

Call = Callable[..., Said]
FILE = "nonstop.db"


class Typed(io.StringIO):
    """What somebody types into a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr("sys.stdin", Typed(text))


@pytest.fixture
def pipes(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.fixture
def made(call: Call) -> Call:
    """The command, in a folder where nonstop.db has the study `demo`."""
    assert call("create", "-p", "lr=float:1e-5:0.1:log", "-p", "kind=cat:a,b,null", "--name", "demo").code == 0
    return call


def study(name: str = "demo", file: str = FILE) -> nonstop.Study:
    return nonstop.load_study(f"sqlite:///{file}", name)


def test_a_study_is_created_without_a_run(call: Call, folder: Path) -> None:
    said = call("create", "mine:square", "-p", "x=float:0:1", "--seed", "7", "--noisy", "--storage", "sqlite:///a.db")
    assert (said.code, said.out) == (0, f"created square in sqlite:///{folder / 'a.db'}\n")
    made = study("square", "a.db")
    assert (made.spec.seed, made.spec.noisy, made.trials) == (7, True, ())
    assert made.spec.objective == "function mine:square"
    again = call("create", "mine:square", "-p", "x=float:0:1", "--storage", "sqlite:///a.db")
    assert (again.code, again.err) == (1, "nonstop: there is already a study 'square' here\n")
    (folder / "study.toml").write_text('objective = "absent:f"\n[space.x]\ntype = "int"\nlow = 1\nhigh = 3\n')
    assert call("create", "study.toml").code == 0, "neither a budget nor an objective that can be imported is needed"
    assert study("study").spec.space["x"] == nonstop.Int(1, 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--name", "a"], "there are no parameters"),
        (["-p", "x=float:0:1"], "the study has no name: give --name"),
        (["mine:square", "--command", "echo {x}", "-p", "x=float:0:1"], "got both"),
        (["--command", "echo {y}", "-p", "x=float:0:1"], "{y}"),
    ],
)
def test_what_cannot_be_created(call: Call, folder: Path, words: list[str], said: str) -> None:
    answer = call("create", *words)
    assert answer.code == 2
    assert said in answer.err
    assert not (folder / FILE).exists()


def test_ask_and_tell(made: Call, pipes: Callable[[str], None]) -> None:
    said = made("ask", "demo", "--lease", "10m", "--worker", "anna")
    first = json.loads(said.out)
    assert set(first) == {"number", "params", "attempt", "seed"}
    assert said.out.count("\n") == 1, "one line, for programs"
    trial = study().trials[0]
    assert (trial.worker, trial.lease, trial.params, trial.seed) == ("anna", 600.0, first["params"], first["seed"])
    assert made("tell", "demo", "0", "-0.25", "--note", "epochs=3", "--note", "who=me").out == "trial 0 is completed\n"
    second = json.loads(made("ask").out)
    pipes(json.dumps({**second, "value": 0.5, "epochs": [4], "notes": {"a": None}}))
    assert made("tell").out == "trial 1 is completed\n"
    made("ask")
    assert made("tell", "2", "--failed", "--reason", "boom").out == "trial 2 is failed\n"
    assert json.loads(made("ask", "--fix", "kind=b").out)["params"]["kind"] == "b"
    pipes("7")
    assert made("tell", "3").code == 0
    trials = study().trials
    assert [trial.value for trial in trials] == [-0.25, 0.5, None, 7.0]
    assert [dict(trial.notes) for trial in trials] == [{"epochs": 3, "who": "me"}, {"epochs": [4], "a": None}, {}, {}]
    assert trials[2].reason == "boom"


@pytest.mark.parametrize(
    ("words", "stdin", "code", "said"),
    [
        (["demo", "0", "x"], "", 1, "a value must be a finite number, not 'x'"),
        (["demo", "0", "nan"], "", 1, "a value must be a finite number, not nan"),
        (["demo", "0", "1", "2"], "", 2, "unexpected argument '2'"),
        (["demo", "0", "1", "--failed"], "", 2, "unexpected argument '1'"),
        (["demo", "9", "1"], "", 1, "study 'demo' has no trial 9"),
        (["demo", "zero", "1"], "", 1, "number must be a whole number, not 'zero'"),
        (["demo", "0", "--value", "1", "--failed"], "", 1, "a failed trial has no value"),
        (["demo", "0", "1", "--note", "x"], "", 2, "expected KEY=VALUE"),
        (["demo"], "nonsense", 1, "standard input is no JSON"),
        (["demo"], "[1]", 1, "must be a JSON object"),
        (["demo"], '{"value": 1}', 1, "which trial?"),
        (["demo"], '{"number": 0, "value": 1, "notes": 3}', 1, "notes must be a JSON object"),
        (["demo"], '{"number": 0, "value": 1, "attempt": 5}', 1, "attempt 5 at trial 0 was never started"),
        (["demo"], '{"number": true, "value": 1}', 1, "number must be a whole number, not True"),
    ],
)
def test_what_cannot_be_told(
    made: Call, pipes: Callable[[str], None], words: list[str], stdin: str, code: int, said: str
) -> None:
    made("ask")
    pipes(stdin)
    answer = made("tell", *words)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert study().trials[0].state is TrialState.RUNNING


def test_telling_twice_is_an_error_and_a_terminal_is_asked_nothing(made: Call, types: Callable[[str], None]) -> None:
    made("ask")
    made("tell", "0", "1")
    said = made("tell", "0", "2")
    assert (said.code, "trial 0 was told before: it is completed" in said.err) == (1, True)
    types("")
    said = made("tell", "demo")
    assert (said.code, "what to tell?" in said.err) == (2, True)


def test_enqueue(made: Call) -> None:
    assert made("enqueue", "demo", "lr=0.01", "kind=b").out == "trial 0 is waiting\n"
    assert made("enqueue", '{"lr": 0.02, "kind": null}').code == 0
    assert made("enqueue", FILE, "demo", "kind=null", "lr=1e-3").code == 0
    assert [trial.params for trial in study().trials] == [
        {"lr": 0.01, "kind": "b"}, {"lr": 0.02, "kind": None}, {"lr": 0.001, "kind": None},
    ]  # fmt: skip
    for words, said in (
        (["lr=5", "kind=a"], "parameter 'lr': got 5, expected a number from 1e-05 to 0.1"),
        (["lr=0.01"], "parameter 'kind' is missing"),
        (["lr=0.01", "kind=a", "lr=0.02"], "lr is given twice"),
        (["lr=0.01", "kinds=a"], "where NAME is 'kind', perhaps?"),
        (["{"], "this is no JSON"),
    ):
        answer = made("enqueue", "demo", *words)
        assert (answer.code, said in answer.err) == (1, True), answer
    assert made("enqueue", "demo").code == 2
    assert len(study().trials) == 3


def test_retry(made: Call) -> None:
    for reason in ("disk full", "diverged", None):
        made("ask")
        number = str(len(study().trials) - 1)
        made("tell", number, "--failed", "--reason", reason) if reason else made("tell", number, "1")
    assert made("retry", "--reason", "disk").out == "1 to evaluate again: trial 0 as 3\n"
    assert json.loads(made("retry", "demo", "--json").out) == [{"number": 4, "retry_of": 1}]
    assert made("retry").out == "0 to evaluate again\n"
    for numbers, said in ((["2"], "trial 2 is completed"), (["7"], "no trial 7"), (["0"], "was retried before")):
        answer = made("retry", "demo", *numbers)
        assert (answer.code, said in answer.err) == (1, True)
    assert made("retry", FILE, "demo", "0", "1", "--again").out.startswith("2 to evaluate again: trial 0 as 5, 1 as 6")


def test_rename(made: Call) -> None:
    made("create", "-p", "x=float:0:1", "--name", "other")
    assert made("rename", "demo", "größer").code == 0
    assert made("show", "größer").code == 0
    for words, said in ((["demo", "new"], "no study 'demo'"), (["other", "größer"], "already a study 'größer'")):
        answer = made("rename", *words)
        assert (answer.code, said in answer.err) == (1, True)
    assert made("rename", "other").code == 2


def test_a_copy_is_exact_and_replays(call: Call, url: str, folder: Path) -> None:
    said = call("copy", url, "demo", "second")
    assert (said.code, "copied 6 trials of demo to second" in said.out) == (0, True)
    assert "(1 that are running there wait in the copy)" in said.out
    assert call("copy", url, "demo", "--to", "backup.db").code == 0
    assert "all 5 proposals are identical" in call("replay", "backup.db").out
    was = {
        line["number"]: line
        for line in map(json.loads, call("export", url, "demo", "--format", "jsonl").out.splitlines())
    }
    for where in ([url, "second"], ["backup.db"]):
        now = [json.loads(line) for line in call("export", *where, "--format", "jsonl").out.splitlines()]
        assert [line for line in now if was[line["number"]]["state"] != "running"] == [
            line for line in was.values() if line["state"] != "running"
        ]
        assert [line["state"] for line in now] == ["completed"] * 3 + ["failed", "waiting", "waiting"]
    assert "copied 0 trials" in call("copy", url, "demo", "third", "--empty").out
    assert nonstop.load_study(url, "third").spec == nonstop.load_study(url, "demo").spec
    assert call("copy", url, "demo").code == 2
    assert "already a study 'second'" in call("copy", url, "demo", "second").err
    assert (folder / "backup.db").stat().st_mode & 0o077 == 0


def test_delete_asks(made: Call, types: Callable[[str], None], pipes: Callable[[str], None]) -> None:
    made("ask")
    pipes("y\n")
    said = made("delete", "demo")
    assert (said.code, said.out) == (2, "")
    assert "say --yes" in said.err
    assert "1 of them running" in said.err
    types("n\n")
    assert made("delete", "demo").code == 1
    types("")
    assert made("delete", "demo").code == 130
    assert made("show", "demo").code == 0
    types("y\n")
    assert "deleted demo" in made("delete", "demo").out
    assert made("delete", "demo", "--yes").code == 1
    assert made("ls").code == 0


def test_a_run_whose_study_is_deleted_ends_with_one_clear_line(folder: Path) -> None:
    words = ("mine:slow", "-p", "x=float:0:1", "--n-trials", "500", "--workers", "2", "--quiet", "--lease", "2")
    running = start("run", *words, cwd=folder)
    wait_until(lambda: completed(f"sqlite:///{folder / FILE}", "slow") >= 2)
    run("delete", FILE, "slow", "--yes", cwd=folder)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if "no study with id 1 here: was it deleted?" in line]
    assert len(lines) == 1, (out, err)


def test_a_file_comes_back(call: Call, url: str) -> None:
    for name in ("trials.csv", "trials.jsonl", "trials.json"):
        form = name.partition(".")[2]
        assert call("export", url, "demo", "--format", form, "-o", name).code == 0
        call("copy", url, "demo", f"from {form}", "--empty")
        said = call("import", url, f"from {form}", name)
        assert said.out == f"added 6 trials to from {form}: 3 completed, 1 failed, 2 to evaluate\n"
        assert "0 trials" in call("import", url, f"from {form}", name).out
        assert "6 are there already" in call("import", url, "demo", name).out
        was, now = (nonstop.load_study(url, study).trials for study in ("demo", f"from {form}"))
        for before, after in zip(was, now, strict=True):
            assert (after.params, after.value, after.reason) == (before.params, before.value, before.reason)
            assert (after.order, after.finished_at) == (before.order, before.finished_at)
    assert len(nonstop.load_study(url, "demo").trials) == 6


def test_wrong_rows_are_all_named_and_nothing_is_stored(made: Call, folder: Path) -> None:
    rows = "".join(f"{0.01 if row % 2 else 5},a,{row}\n" for row in range(50))
    (folder / "rows.csv").write_text(f"lr,kind,value\n{rows}")
    said = made("import", "demo", "rows.csv")
    lines = said.err.splitlines()
    assert said.code == 2
    assert lines[1] == "line 2: parameter 'lr': got 5, expected a number from 1e-05 to 0.1"
    assert len(lines) == 22
    assert lines[-1] == "nonstop: 25 rows are wrong (5 are not shown): nothing was added"
    assert study().trials == ()
    (folder / "rows.csv").write_text("lr,kind,loss,epoch\n0.01,a,3,9\n")
    said = made("import", "rows.csv", "--value", "loss")
    assert "'epoch' is no field and no parameter" in said.err
    assert said.err.endswith("nonstop: 1 row is wrong: nothing was added\n")
    words = ("import", "rows.csv", "--value", "loss", "--keep-unknown")
    assert made(*words, "--dry-run").out == "would add 1 trials to demo: 1 completed\n"
    assert study().trials == ()
    assert made(*words).code == 0
    assert (study().trials[0].value, study().trials[0].notes) == (3.0, {"epoch": "9"})
    assert made(*words, "--again").out == "added 1 trials to demo: 1 completed\n"
    for wrong, why in (
        (("import", "demo", "mine.py"), "does not tell its format"),
        (("import", "demo"), "demo: cannot be read"),
        (("import", "demo", "absent.csv"), "cannot be read"),
        (("import",), "missing argument FILE"),
    ):
        answer = made(*wrong)
        assert answer.code in (1, 2)
        assert why in answer.err


def test_a_study_of_optuna(call: Call, folder: Path) -> None:
    with sqlite3.connect(folder / "optuna.db") as connection:
        connection.executescript((Path(__file__).parents[1] / "files" / "optuna.sql").read_text(encoding="utf-8"))
    connection.close()
    words = ("import", "--optuna", "optuna.db", "--study", "mixed")
    said = call(*words, "--dry-run")
    assert (said.code, said.out) == (0, "would add 8 trials to mixed: 6 completed, 2 failed\n")
    assert "left out: 1 pruned" in said.err
    said = call(*words)
    assert (said.code, said.out) == (0, "added 8 trials to mixed: 6 completed, 2 failed\n")
    assert call(*words).out == "added 0 trials to mixed; 8 are there already\n"
    assert study("mixed").spec.direction == "maximize"
    assert call("best", "mixed").code == 0
    assert call("import", "--optuna", "sqlite:///optuna.db").code == 1


def test_a_worker_runs_what_the_study_says_after_asking(
    call: Call, types: Callable[[str], None], pipes: Callable[[str], None]
) -> None:
    call("create", "--command", "echo {x}", "-p", "x=float:0:1", "--name", "demo")
    pipes("y\n")
    said = call("worker", "demo", "--n-trials", "2")
    assert said.code == 2
    assert "'demo' says the command `echo {x}`: give it, or agree with --stored" in said.err
    types("n\n")
    said = call("worker", "demo", "--n-trials", "2")
    assert said.code == 130
    assert "demo is to evaluate the command `echo {x}`" in said.err
    assert study().trials == ()
    types("y\n")
    assert call("worker", "--n-trials", "2").code == 0
    assert call("worker", FILE, "--n-trials", "4", "--stored").code == 0
    assert len(study().trials) == 4
    call("create", "-p", "x=float:0:1", "--name", "bare")
    assert "'bare' does not say" in call("worker", "bare", "--n-trials", "1", "--stored").err


def test_which_storage_and_which_study(call: Call, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("best", "runs.db", "demo").out == call("best", url, "demo").out
    said = call("best", "runs.db")
    assert (said.out, said.err) == (call("best", url, "demo").out, "nonstop: study 'demo'\n")
    answer = call("ls")
    assert (answer.code, "which storage?" in answer.err) == (2, True)
    (folder / "runs.db").rename(folder / "plain")
    assert call("best", "plain").out == call("best", "sqlite:///plain").out, "any file that is a database"
    (folder / "plain").rename(folder / FILE)
    said = call("ls")
    assert (said.code, said.err) == (0, "nonstop: storage sqlite:///nonstop.db\n")
    assert call("best").out == call("best", FILE, "demo").out
    assert "3 completed" in call("show").out
    assert "there is no file" in call("show", "absent.db", "demo").err
    nonstop.create_study(f"sqlite:///{folder / FILE}", "other", space=nonstop.Space({"x": nonstop.Int(1, 2)}))
    answer = call("show")
    assert answer.code == 2
    assert "which study? In" in answer.err
    assert "there are 'demo', 'other'" in answer.err
    monkeypatch.setenv("NONSTOP_STORAGE", FILE)
    assert call("best", "demo").err == ""
    (folder / "demo").write_text("a file that is no database")
    assert call("best", "demo").code == 0


def test_so_does_one_in_this_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    made = nonstop.create_study(f"sqlite:///{FILE}", "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))

    def deleting(params: dict[str, float]) -> float:
        if len(made.trials) == 3:
            nonstop.delete_study(f"sqlite:///{FILE}", "demo")
            nonstop.create_study(f"sqlite:///{FILE}", "demo", space=made.spec.space).storage.close()
        return params["x"]

    with pytest.raises(nonstop.StudyError, match="no study with id 1 here: was it deleted"):
        made.optimize(deleting, n_trials=10)
    assert study().trials == (), "the next study of that name gets nothing of it"
