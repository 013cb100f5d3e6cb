"""`--gpus`, `--folder` and what is kept and shown of trials."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import nonstop
from nonstop.cli.devices import devices_of, environments_of
from nonstop.dashboard.rows import details_of
from nonstop.dashboard.status import StudyStatus
from tests.cli.conftest import Said
from tests.helpers.goals import MAXIMIZE

Call = Callable[..., Said]
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


@pytest.mark.parametrize(
    ("given", "devices"),
    [
        ("0,1,2", ("0", "1", "2")),
        ("0+1,2+3", ("0,1", "2,3")),
        ([0, 1], ("0", "1")),
        (["0,1", "GPU-8f2c:1/2"], ("0,1", "GPU-8f2c:1/2")),
        (" 3 , 4", ("3", "4")),
        ("", None),
        ("0,,1", None),
        ([], None),
        ([True], None),
        ([0.5], None),
        (4, None),
        ("0;rm", None),
    ],
)
def test_devices(given: object, devices: tuple[str, ...] | None) -> None:
    assert devices_of(given) == devices


def test_workers_may_share_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert environments_of(None, 3) == {}
    assert environments_of(("0", "1"), 2) == {"environments": [{"CUDA_VISIBLE_DEVICES": d} for d in "01"]}
    assert capsys.readouterr().err == ""
    environments_of(("0", "1"), 4)
    assert "4 workers on 2 entries of --gpus: workers share them in turn" in capsys.readouterr().err


def test_gpus_say_how_many_workers_there_are(call: Call, folder: Path) -> None:
    said = '"{{\\"value\\": {x}, \\"device\\": $CUDA_VISIBLE_DEVICES}}"'
    both = "while [ $(ls here 2>/dev/null | wc -l) -lt 2 ]; do mkdir -p here/$CUDA_VISIBLE_DEVICES; done"
    command = f"sh -c '{both}; echo {said}'"
    words = ("--command", command, "--n-trials", "4", "--folder", "out", "--json", "-q")
    done = call("run", *words, "-p", "x=float:0:1", "--gpus", "5,7", "--name", "demo")
    assert done.code == 0
    assert len(json.loads(done.out)["workers"]) == 2
    found = nonstop.load_study(f"sqlite:///{folder / 'nonstop.db'}", "demo")
    by_worker = {(str(trial.worker)[-3:], trial.notes["device"]) for trial in found.trials}
    assert by_worker == {("-w0", 5), ("-w1", 7)}
    assert len(list(folder.glob("out/demo-*/*/stdout.txt"))) == 4
    more = call("worker", "sqlite:///nonstop.db", "demo", *words, "--n-trials", "5", "--gpus", "9", "--discard-output")
    assert more.code == 0
    assert nonstop.load_study(f"sqlite:///{folder / 'nonstop.db'}", "demo").trials[-1].notes["device"] == 9
    assert len(list(folder.glob("out/demo-*/*/stdout.txt"))) == 4
    assert call("run", *words, "-p", "x=float:0:1", "--gpus", "5;7").code == 2


@pytest.fixture
def noted(folder: Path) -> nonstop.Study:
    study = nonstop.create_study(f"sqlite:///{folder / 'nonstop.db'}", "demo", space=SPACE)
    study.optimize(lambda params: {"value": params["x"], "accuracy": 0.5, "<b>": "<i>\x1b[31m"}, n_trials=2)
    return study


def test_notes_are_shown(call: Call, noted: nonstop.Study) -> None:
    url = "sqlite:///nonstop.db"
    for words in (("show", url, "demo"), ("best", url, "demo")):
        said = call(*words).out
        assert "accuracy=0.5, <b>=<i>\\x1b[31m" in said
        best = json.loads(call(*words, "--json").out)
        assert best.get("best", best)["notes"]["accuracy"] == 0.5
    assert details_of(noted.trials[0])["notes"]["accuracy"] == 0.5
    jsonl = call("export", url, "demo", "--format", "jsonl").out.splitlines()
    assert json.loads(jsonl[0])["notes"]["accuracy"] == 0.5


def test_notes_stand_in_the_report(call: Call, noted: nonstop.Study, folder: Path) -> None:
    pytest.importorskip("plotly")
    assert noted.best_value >= 0.0
    assert call("report", "sqlite:///nonstop.db", "demo").code == 0
    page = (folder / "demo.html").read_text(encoding="utf-8")
    assert "accuracy=0.5, &lt;b&gt;=&lt;i&gt;" in page
    assert "<i>\x1b" not in page


def test_reasons_that_differ_in_their_file_are_one(call: Call, folder: Path) -> None:
    study = nonstop.create_study(f"sqlite:///{folder / 'nonstop.db'}", "demo", space=SPACE)
    for number in range(3):
        study.tell(study.ask(), state="failed", reason=f"exit code 1; stderr: no [see /runs/{number}/stderr.txt]")
    (failure,) = json.loads(call("show", "sqlite:///nonstop.db", "demo", "--json").out)["failures"]
    assert failure == {"count": 3, "reason": "exit code 1; stderr: no [see /runs/2/stderr.txt]"}
    said = call("show", "sqlite:///nonstop.db", "demo").out
    assert "3       exit code 1; stderr: no [see /runs/2/stderr.txt]\n" in said
    status = StudyStatus(MAXIMIZE)
    status.apply(study.storage.exchange(study.id, 0))
    assert status.as_json()["failures"] == [{"reason": "exit code 1; stderr: no", "count": 3}]
