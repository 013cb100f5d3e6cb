"""Nested, constrained and stepped spaces through the whole product: studies, storage, figures, commands, exports."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop import Categorical, Float, Int, Ordinal, Space
from nonstop.dashboard.overview import names_of
from nonstop.dashboard.parallel import lines
from nonstop.dashboard.rows import row_of
from nonstop.errors import ParamsError, SpaceError, StudyError, StudyMismatchError
from nonstop.history.coordinates import parallel
from nonstop.history.cuts import contour, slices
from nonstop.history.relevance import lengthscales
from nonstop.history.scale import scales_of
from nonstop.plots import FIGURES
from nonstop.report import About, page
from nonstop.trials.mirror import Mirror
from nonstop.trials.replay import replay
from nonstop.trials.spec import Spec, has_objects, spec_for_viewing
from nonstop.trials.suggest import Basis, suggest
from nonstop.types import Params
from nonstop.workers.command import Command
from tests.helpers.commands import completed, kill_group, run, start, wait_until

SPACE = Space(
    {
        "model": Categorical(
            {
                "svm": Space({"C": Float(1e-3, 1e3, log=True)}),
                "forest": Space({"trees": Int(10, 500, step=10), "C": Float(0, 1)}),
                "none": None,
            }
        ),
        "batch": Int(16, 256, log=True, step="x2"),
        "size": Ordinal(["s", "m", "l"]),
        "seed": Int(3, 3),
    }
)
TRIALS: list[tuple[dict[str, Any], float]] = [
    ({"model": "svm", "C": 10.0, "batch": 64, "size": "m", "seed": 3}, 3.0),
    ({"model": "forest", "trees": 50, "C": 0.5, "batch": 64, "size": "s", "seed": 3}, 1.0),
    ({"model": "forest", "trees": 500, "C": 0.2, "batch": 256, "size": "l", "seed": 3}, 2.0),
    ({"model": "none", "batch": 16, "size": "m", "seed": 3}, 4.0),
]


@pytest.fixture
def study() -> nonstop.Study:
    made = nonstop.create_study(space=SPACE)
    for params, value in TRIALS:
        made.add_trial(params, value)
    return made


# --- Studies ---------------------------------------------------------------------------------------------------------


def test_a_study_proposes_params_that_fit_and_is_replayed() -> None:
    study = nonstop.create_study(space=SPACE, seed=3, initial=4)

    def objective(params: Params) -> float:
        assert SPACE.validate(params) == params
        return {"svm": 1.0, "forest": 0.0, "none": 2.0}[str(params["model"])] + float(params.get("C", 0.0))

    study.optimize(objective, n_trials=10)
    assert replay(study.spec, study.trials).identical
    assert list(study.to_dataframe().columns[3:9]) == [f"params_{name}" for name in SPACE.names]


def test_a_study_with_nothing_to_search_repeats_its_only_point() -> None:
    study = nonstop.create_study(space=Space({"a": Int(3, 3), "b": Categorical(["x"])}))
    study.optimize(lambda params: float(params["a"]), n_trials=3)
    assert [trial.params for trial in study.trials] == [{"a": 3, "b": "x"}] * 3
    assert replay(study.spec, study.trials).identical
    assert replay(study.spec, study.trials).quasi_random == 3
    for name in FIGURES:
        study.plot(name)


def test_enqueue_and_add_trial_say_which_constraint_a_point_violates() -> None:
    study = nonstop.create_study(space=Space({"low": Float(0, 1), "high": Float(0, 1)}, where=["low < high"]))
    said = "low < high does not hold: low = 0.7, high = 0.2"
    with pytest.raises(ParamsError, match=said):
        study.enqueue({"low": 0.7, "high": 0.2})
    with pytest.raises(ParamsError, match=said):
        study.add_trial({"low": 0.7, "high": 0.2}, 1.0)
    with pytest.raises(nonstop.NonstopError, match=said):
        study.add_trials([({"low": 0.1, "high": 0.2}, 1.0), ({"low": 0.7, "high": 0.2}, 1.0)])
    assert study.trials == ()


def test_a_constraint_with_an_unknown_name_makes_no_study() -> None:
    with pytest.raises(SpaceError, match="unknown name 'hgih': expected 'high', perhaps"):
        nonstop.create_study(space=Space({"low": Float(0, 1), "high": Float(0, 1)}, where=["low < hgih"]))


def small(params: dict[str, Any]) -> bool:
    return bool(params["a"] < 0.5)


def test_a_function_must_be_given_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    space = Space({"a": Float(0, 1)}, where=[small, "a > 0.1"])
    made = nonstop.create_study(url, "one", space=space)
    made.enqueue({"a": 0.3})
    with pytest.raises(StudyError, match=r"constraint <function small.*: pass the space again, as space=\.\.\."):
        nonstop.load_study(url, "one")
    again = nonstop.load_study(url, "one", space=Space({"a": Float(0, 1)}, where=[small, "a > 0.1"]))
    with pytest.raises(ParamsError, match="small"):
        again.enqueue({"a": 0.7})
    loaded = nonstop.create_study(url, "one", space=space, load_if_exists=True)
    assert loaded.spec.space == space
    with pytest.raises(StudyMismatchError, match="made with space"):
        nonstop.load_study(url, "one", space=Space({"a": Float(0, 1)}, where=[lambda _: True, "a > 0.1"]))
    stored = made.storage.load_study("one").spec
    assert has_objects(stored)
    assert spec_for_viewing(stored).space.validate({"a": 0.7}) == {"a": 0.7}  # nothing is known of the function
    with pytest.raises(ParamsError, match=r"a > 0.1"):
        spec_for_viewing(stored).space.validate({"a": 0.05})


def test_texts_are_stored_and_need_not_be_given_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    space = Space(dict(SPACE), where=["batch < 100", "model != 'svm' or C < 100"])
    nonstop.create_study(url, "one", space=space)
    assert nonstop.load_study(url, "one").spec.space == space
    assert nonstop.create_study(url, "one", space=space, load_if_exists=True).spec.space == space
    with pytest.raises(StudyMismatchError):
        nonstop.create_study(url, "one", space=SPACE, load_if_exists=True)
    assert not has_objects(nonstop.load_study(url, "one").storage.load_study("one").spec)


def test_a_study_whose_single_choice_had_an_axis_goes_on() -> None:
    """As nonstop 0.1 recorded it: one more lengthscale than there are columns now."""
    space = Space({"x": Float(0, 1), "only": Categorical(["a"])})
    study = nonstop.create_study(space=space, initial=2)
    study.optimize(lambda params: params["x"] ** 2, n_trials=4)
    last = study.trials[-1].diagnostics
    assert last is not None
    assert last.hyperparameters is not None
    wider = replace(last.hyperparameters, lengthscales=(*last.hyperparameters.lengthscales, 1.0))
    old = [
        replace(trial, diagnostics=replace(last, hyperparameters=wider)) if trial.number == 3 else trial
        for trial in study.trials
    ]
    mirror = Mirror(space)
    mirror.apply(sorted(old, key=lambda trial: trial.sequence))
    trial = replace(study.trials[-1], number=4, params=None, value=None, version=4)
    assert mirror.newest_fit == 3
    assert set(suggest(study.spec, mirror, trial, Basis.of(mirror, trial)).params) == {"x", "only"}


def test_a_box_is_stored_as_ever() -> None:
    """Byte for byte what earlier versions wrote."""
    box = Space({"lr": Float(1e-5, 0.1, log=True), "depth": Int(1, 12), "loss": Categorical(["l1", 2, None, True])})
    text = (
        '{"lr": {"type": "float", "low": 1e-05, "high": 0.1, "log": true}, '
        '"depth": {"type": "int", "low": 1, "high": 12, "log": false}, '
        '"loss": {"type": "categorical", "choices": ["l1", 2, null, true]}}'
    )
    assert json.dumps(box.to_json()) == text
    assert Space.from_json(json.loads(text)) == box


# --- Figures ---------------------------------------------------------------------------------------------------------


def test_what_is_not_there_has_no_place(study: nonstop.Study) -> None:
    scales = scales_of(SPACE)
    assert [scale.label for scale in scales] == ["model", "C (model svm)", "trees", "C (model forest)", "batch", "size"]
    record = parallel(study.spec, study.trials)  # from the worst to the best
    np.testing.assert_array_equal(record.places[:, 1], [np.nan, 10.0, np.nan, np.nan])
    np.testing.assert_array_equal(record.places[:, 2], [np.nan, np.nan, 500.0, 50.0])
    np.testing.assert_array_equal(record.places[:, 3], [np.nan, np.nan, 0.2, 0.5])


def test_parallel_coordinates_have_a_dash_for_it(study: nonstop.Study) -> None:
    drawn = study.plot("parallel").data[0].dimensions
    for axis in drawn[1:4]:
        assert axis.ticktext[0] == "–"
        assert axis.tickvals[0] == axis.range[0] == min(axis["values"])
    assert all("–" not in (axis.ticktext or ()) for axis in (drawn[0], drawn[4]))
    page = lines(parallel(study.spec, study.trials))
    assert [note.x for note in page.layout.annotations if note.text == "–"] == [1, 2, 3]


def test_slices_are_along_what_is_there_in_the_best(study: nonstop.Study) -> None:
    record = slices(study.spec, study.trials)
    assert [cut.scale.label for cut in record.slices] == ["model", "trees", "C (model forest)", "batch", "size"]
    assert record.of == 6
    trees = record.slices[1]
    np.testing.assert_array_equal(np.isnan(trees.data), [True, False, False, True])
    assert np.isfinite(record.slices[0].mean).all()  # other choices start in the middle of what they bring


def test_a_contour_is_over_two_that_are_there_together(study: nonstop.Study) -> None:
    record = contour(study.spec, study.trials)
    assert record is not None
    assert "model" not in {record.x.name, record.y.name} or not {record.x.name, record.y.name} & {"trees", "C"}
    record = contour(study.spec, study.trials, "trees", "C")
    assert record is not None
    assert (record.x.label, record.y.label) == ("trees", "C (model forest)")
    only_svm = study.trials[:1]
    with pytest.raises(
        StudyError, match="'trees' cannot be drawn: it has one value, or is not there in the best trial, 0"
    ):
        contour(study.spec, only_svm, "trees", "C")
    with pytest.raises(StudyError, match="there is no parameter 'tree'"):
        contour(study.spec, only_svm, "tree")


def test_nothing_is_proposed_where_a_constraint_does_not_hold() -> None:
    study = nonstop.create_study(space=Space({"a": Float(0, 1), "b": Float(0, 1)}, where=["a < 0.5"]), rule="ucb")
    for a in (0.1, 0.2, 0.4):
        study.add_trial({"a": a, "b": 0.5}, (a - 0.3) ** 2)
    along_a = slices(study.spec, study.trials).slices[0]
    assert along_a.acquisition is not None
    np.testing.assert_array_equal(np.isnan(along_a.acquisition), along_a.at >= 0.5)


@pytest.mark.parametrize("name", list(FIGURES))
def test_every_figure(study: nonstop.Study, name: str) -> None:
    assert study.plot(name).to_json()


def test_lengthscales_are_of_axes(study: nonstop.Study) -> None:
    assert lengthscales(study.spec, study.trials).names == tuple(scale.label for scale in scales_of(SPACE))


def test_the_report_has_what_is_there(study: nonstop.Study) -> None:
    spec = Spec(Space(dict(SPACE), where=["batch > 17 or model == 'none'"]))
    html = page(About("demo", "sqlite:///runs.db", "ucb", 5000.0, "nonstop"), spec, study.trials)
    assert "batch &gt; 17 or model == &#x27;none&#x27;" in html
    text = re.sub("<[^>]*>", "", html)
    assert "10 to 500 in steps of 10" in text
    assert "16 to 256, times 2 (log)" in text
    assert "s, m, l" in text
    assert "<td>–</td>" in html


# --- Rows, commands, exports -----------------------------------------------------------------------------------------


def test_rows_of_the_dashboard(study: nonstop.Study) -> None:
    names = SPACE.names
    assert names == ("model", "C", "trees", "batch", "size", "seed")
    assert json.loads(row_of(study.trials[0], names))["params"] == ["svm", 10.0, [], 64, "m", 3]
    assert names_of(SPACE.to_json()) == set(names)
    constrained = Space({"layers": Categorical({1: None, 2: Space({"w": Int(0, 1)})})}, where=["layers < 3"])
    assert names_of(constrained.to_json()) == {"layers", "w"}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("train --model {model} --C {C} --trees {trees}", ["train", "--model", "svm", "--C", "10.0"]),
        ("train --trees={trees} --C={C}", ["train", "--C=10.0"]),
        ("train {model} {trees} {C}", ["train", "svm", "", "10.0"]),
        ("train -t {trees} run", ["train", "run"]),
        ("train model={model},trees={trees}", ["train", "model=svm,trees="]),
        ("sh -c 'train {C} {trees}'", ["sh", "-c", "train 10.0 "]),
    ],
)
def test_placeholders_of_what_is_not_there(template: str, expected: list[str]) -> None:
    command = Command(template)
    command.check(SPACE)
    assert command.arguments(TRIALS[0][0]) == expected


def test_commands_know_the_names_and_choices_of_every_branch() -> None:
    inner = Space({"text": Categorical(["; rm", "b"])})
    space = Space({"m": Categorical({"a": inner, "b": None})})
    with pytest.raises(nonstop.ObjectiveError, match="may not stand inside a script"):
        Command("sh -c 'train {text}'").check(space)
    with pytest.raises(nonstop.ObjectiveError, match="the parameters are m, text"):
        Command("train {texts}").check(space)


def test_rows_bring_a_study_back(study: nonstop.Study) -> None:
    other = nonstop.create_study(space=SPACE)
    frame = study.to_dataframe()
    other.add_trials(frame[["value", *(f"params_{name}" for name in SPACE.names)]].to_dict("records"))
    assert [(trial.params, trial.value) for trial in other.trials] == TRIALS


STUDY = """
command = "echo {batch}"
n_trials = 6
where = ["batch <= 128"]

[space.model]
type = "categorical"
[space.model.choices.svm.C]
type = "float"
low = 0.001
high = 1000
log = true
[space.model.choices.none]

[space.batch]
type = "int"
low = 16
high = 256
step = "x2"
log = true

[space.size]
type = "ordinal"
choices = ["s", "m", "l"]
"""


def test_a_study_file(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    done = run("run", "study.toml", "--where", "model == 'none' or C < 100", "--quiet", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["counts"]["completed"] == 6
    shown = run("show", "sqlite:///nonstop.db", "study", cwd=tmp_path).stdout
    assert "minimize model, C, batch, size by" in shown
    assert "where   batch <= 128\nwhere   model == 'none' or C < 100\n" in shown
    table = run("export", "sqlite:///nonstop.db", "study", cwd=tmp_path).stdout
    assert "params_model,params_C,params_batch,params_size" in table
    run("report", "sqlite:///nonstop.db", "study", "-o", "report.html", cwd=tmp_path)
    assert "batch &lt;= 128" in (tmp_path / "report.html").read_text()


def test_a_wrong_constraint_is_pointed_at_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("batch <= 128", "batch =< 128"))
    done = run("run", "study.toml", cwd=tmp_path, code=2)
    assert done.stderr.endswith("cannot read '=': write == to compare\n    batch =< 128\n          ^\n")
    done = run("run", "x:y", "-p", "a=int:0:9", "--where", "b < 3", "--n-trials", "2", cwd=tmp_path, code=2)
    assert "unknown name 'b': expected one of ['a']\n    b < 3\n    ^\n" in done.stderr


def test_a_study_file_with_all_of_it_survives_a_kill(tmp_path: Path) -> None:
    url, everything = f"sqlite:///{tmp_path / 'nonstop.db'}", STUDY.replace("n_trials = 6", "n_trials = 12\nlease = 2")
    everything = everything.replace('"echo {batch}"', "\"sh -c 'sleep 0.2; echo {batch}'\"")
    (tmp_path / "study.toml").write_text(f'{everything}\n[space.seed]\ntype = "int"\nlow = 7\nhigh = 7\n')
    words = ("run", "study.toml", "--workers", "2", "--fix", "size=m", "--quiet")
    process = start(*words, cwd=tmp_path)
    wait_until(lambda: completed(url, "study") >= 3)
    kill_group(process, signal.SIGKILL)
    before = completed(url, "study")
    assert before < 12
    run(*words, cwd=tmp_path)
    study = nonstop.load_study(url, "study")
    assert completed(url, "study") == 12
    for trial in study.trials:
        assert study.spec.space.validate(trial.params or {}) == trial.params
        assert trial.params is not None
        assert (trial.params["size"], trial.params["seed"]) == ("m", 7)
    assert replay(study.spec, study.trials).identical
