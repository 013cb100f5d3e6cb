"""Figures: that there is one for every study, that users' words stay words, and what is at hand for images."""

from __future__ import annotations

import builtins
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop import plots
from nonstop.plots import image
from nonstop.plots.style import about, compact, hover, log_axis
from nonstop.plots.words import distinct, fitting, label, number, plain
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.studies import MIXED, NASTY, ONE, THIRTY, study

SPACE = nonstop.Space({NASTY: nonstop.Float(0.0, 1.0), "%{x}": nonstop.Categorical([NASTY, "<b>", 3, None])})
CASES: Mapping[str, tuple[Spec, list[Trial]]] = {
    "none": study(n=0),
    "one": study(n=1),
    "two": study(n=2),
    "forty": study(n=40, fails=lambda i: i % 7 == 4),
    "all failed": study(n=9, fails=lambda _: True),
    "constant": study(n=20, value=lambda _: 3.0),
    "huge values": study(n=12, value=lambda x: 1e300 * (x[0] - 0.5)),
    "tiny values": study(n=12, value=lambda x: 1e-300 * x[0]),
    "one parameter": study(ONE, 25),
    "thirty parameters": study(THIRTY, 40),
    "nasty": study(SPACE, 20, name=NASTY, fails=lambda i: i % 5 == 3),
    "many": study(n=3000, workers=60, fails=lambda i: i % 9 == 3),
}


def texts(value: object) -> list[str]:
    """Every string in a figure's JSON."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in texts(part)]


@pytest.mark.parametrize("name", plots.FIGURES)
@pytest.mark.parametrize("case", CASES)
def test_there_is_a_figure_for_every_study(case: str, name: str) -> None:
    spec, trials = CASES[case]
    busy = Trial(len(trials), TrialState.RUNNING, params=spec.space.validate(_some(spec)), worker="w", asked_at=1005.0,
                 started_at=1006.0, attempt=2)  # fmt: skip
    for some in (trials, [*trials, busy, Trial(len(trials) + 1, TrialState.PROPOSING, asked_at=1007.0)]):
        figure = plots.FIGURES[name](spec, some)
        drawn = json.loads(figure.to_json())
        assert drawn["layout"]["height"] >= 200
        assert len(figure.to_json()) < 450_000


def _some(spec: Spec) -> dict[str, Any]:
    kinds = {"Float": lambda p: p.low, "Int": lambda p: p.low, "Categorical": lambda p: p.choices[0]}
    return {name: kinds[type(parameter).__name__](parameter) for name, parameter in spec.space.items()}


@pytest.mark.parametrize("case", ["none", "all failed"])
def test_an_empty_figure_says_why(case: str) -> None:
    for name in ("trace", "slices", "parallel"):
        (note,) = plots.draw(name, *CASES[case]).layout.annotations
        assert "no completed trial yet" in note.text


@pytest.mark.parametrize("name", plots.FIGURES)
def test_no_word_of_a_user_becomes_a_tag(name: str) -> None:
    drawn = json.loads(plots.draw(name, *CASES["nasty"]).to_json())
    drawn["layout"].pop("meta", None)  # plain text for pages, which Plotly does not draw
    for dimension in drawn["data"][0].get("dimensions", []):
        dimension.pop("ticktext", None)  # Plotly draws these as they are
    found = {tag for text in texts(drawn) for tag in re.findall(r"<[^>]*>", text)}
    assert found <= {"<b>", "</b>", "<br>", "<extra>", "</extra>"}
    templates = [text for text in texts(drawn) if "<extra>" in text]
    assert not [text for text in templates if "%{x} =" in text]


def test_words_are_made_harmless() -> None:
    assert label('<a href="x">&') == '&lt;a href="x"&gt;&amp;'
    assert plain("a\nb\tc") == "a b c"
    assert plain("prefix-" * 9 + "17", 15) == "prefix-pr…ix-17"
    assert "&lt;i&gt;" in about(Trial(3, TrialState.RUNNING, params={"<i>": "<i>"}))


def test_numbers_are_short() -> None:
    shown = {1000.0: "1000", 25_040.0: "25000", 1.84e5: "1.84e5", 1e-5: "1e-5", 0.0001: "0.0001", -3e120: "-3e120"}
    assert {value: number(value) for value in shown} == shown


def test_names_that_would_look_the_same_stay_different() -> None:
    names = list(THIRTY)
    assert len({plain(name, 20) for name in names}) < 30  # that is why
    short = distinct(names, 20)
    assert len(set(short)) == 30
    assert max(map(len, short)) <= 20
    assert "07" in short[7]
    assert distinct(["a", "b" * 50, "c" * 50], 9) == ["a", "bbbbb…bbb", "ccccc…ccc"]


def test_long_names_give_way_to_short_ones() -> None:
    assert fitting(["none", "a", "mixup-and-cutmix"], 15) == ["none", "a", "mixup-…mix"]
    assert fitting(["l1", "l2"], 15) == ["l1", "l2"]
    assert len(set(fitting(["abcdefgh1", "abcdefgh2", "abcdefgh3"], 6))) == 3


def test_hover_texts_are_a_table_and_a_template() -> None:
    _, trials = study(ONE, 3)
    made = hover(trials, value=[1.0, 2.0, 3.0])
    assert np.asarray(made["customdata"])[:, :2].tolist() == [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    assert made["hovertemplate"] == (
        "<b>trial %{customdata[0]:d}</b><br>value %{customdata[1]:.5~g}<br>x = %{customdata[2]:.5~g}<extra></extra>"
    )
    mixed = hover(study(MIXED, 3)[1])
    assert mixed["customdata"][0][3] in ("l1", "l2", "huber")
    assert hover([])["customdata"].size == 0


def test_single_precision_only_where_no_one_sees_it() -> None:
    assert compact(np.array([0.1, 0.2])).dtype == np.float32
    for numbers in ([1e300, 1.0], [1e-300, 1.0], [1e9, 1e9 + 1.0], [np.nan, 1.0]):
        assert compact(np.array(numbers)).dtype == np.float64


def test_log_axes_and_choices_are_right() -> None:
    figure = plots.draw("parallel", *study(MIXED, 30))
    lr, depth, loss, width, value = figure.data[0].dimensions
    assert list(lr.range) == [-5.0, -1.0]
    assert list(lr.ticktext) == ["1e-5", "0.0001", "0.001", "0.01", "0.1"]
    assert list(depth.range) == [1.0, 12.0]
    assert list(loss.ticktext) == ["l1", "l2", "huber"]
    assert list(width.ticktext) == ["10", "20", "50", "100", "200", "500", "1000"]
    assert value.label == "value"
    slices = plots.draw("slices", *study(MIXED, 30))
    kinds = {axis.title.text: axis.type for axis in slices.select_xaxes() if axis.title.text}
    assert kinds == {"lr": "log", "depth": "linear", "loss": "linear", "width": "log"}


@pytest.mark.parametrize("name", plots.FIGURES)
@pytest.mark.parametrize("case", ["one", "forty", "all failed", "constant", "thirty parameters"])
def test_a_legend_names_only_what_is_drawn_and_each_thing_once(case: str, name: str) -> None:
    named = [trace for trace in plots.draw(name, *CASES[case]).data if trace.name and trace.showlegend is not False]
    assert all(np.isfinite(np.asarray(trace.y, dtype=float)).any() for trace in named)
    assert len({trace.name for trace in named}) == len(named)


def test_what_is_beyond_the_axis_is_said_and_can_be_seen() -> None:
    spec, trials = study(MIXED, 60, value=lambda x: 30.0 + x[0] + (1.8e4 if x[0] > 0.93 else 0.0))
    worst = sum((t.value or 0.0) > 1e4 for t in trials)
    figure = plots.draw("trace", spec, trials)
    assert figure.layout.meta["note"] == f"{worst} values beyond the axis, up to 18000"
    assert figure.layout.meta["title"].startswith("Best value")
    assert figure.layout.yaxis.range[1] < 31.2
    usual, everything = figure.layout.updatemenus[0].buttons
    marks = [i for i, trace in enumerate(figure.data) if trace.name == "beyond the axis"]
    assert list(everything.args[2]) == marks
    assert [len(figure.data[i].x) for i in marks] == [worst, worst]
    assert everything.args[1]["yaxis.range"][1] > 1.8e4
    assert list(usual.args[1]["yaxis.range"]) == list(figure.layout.yaxis.range)
    for name in ("slices", "check", "parallel"):
        assert "beyond the axis" in plots.draw(name, spec, trials).layout.meta["note"], name
    calm = plots.draw("trace", *study(MIXED, 60))
    assert (calm.layout.meta["note"], len(calm.layout.updatemenus)) == ("", 0)


def test_every_figure_has_a_caption() -> None:
    assert list(plots.CAPTIONS) == list(plots.FIGURES)
    assert set(plots.FIGURES) == {
        "trace", "timeline", "distances", "lengthscales", "slices", "contour", "parallel", "check",
    }  # fmt: skip


def test_nothing_is_ever_sent_to_a_server() -> None:
    assert plots.CONFIG["plotlyServerURL"] == ""
    assert "sendChartToCloud" in plots.draw("trace", *CASES["forty"]).layout.template.layout.modebar.remove


def test_a_study_draws_itself() -> None:
    study = nonstop.create_study(space=ONE)
    for value in (1.0, 0.5, 0.7):
        study.tell(study.ask("a"), value)
    assert "found by trial 1" in study.plot("trace").layout.title.text
    with pytest.raises(nonstop.StudyError, match="no figure 'no': use one of trace, timeline, slices"):
        study.plot("no")


def test_without_plotly_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == "plotly" or name.startswith("nonstop.plots")]:
        monkeypatch.delitem(sys.modules, module)
    real = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name.split(".")[0] == "plotly":
            raise ImportError(name)
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    study = nonstop.create_study(space=ONE)
    with pytest.raises(nonstop.MissingExtraError, match=r"pip install .*\[plots\]'"):
        study.plot("trace")


def test_an_image_needs_a_browser_or_kaleido(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = plots.draw("trace", *CASES["forty"])
    with pytest.raises(nonstop.NonstopError, match=r"ends with \.png or \.svg"):
        plots.write_image(figure, tmp_path / "trace.gif")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(nonstop.NonstopError, match="install Chromium, or pip install kaleido"):
        plots.write_image(figure, tmp_path / "trace.png")


@pytest.mark.skipif(
    os.environ.get("CI") != "true" and not any(map(shutil.which, image.BROWSERS)), reason="no browser on the PATH"
)
def test_images_are_images(tmp_path: Path) -> None:
    figure = plots.draw("trace", *CASES["forty"])
    assert plots.write_image(figure, tmp_path / "trace.png").read_bytes().startswith(b"\x89PNG")
    text = plots.write_image(figure, tmp_path / "trace.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "completed trials" in text


@pytest.mark.parametrize(
    ("numbers", "ticks"),
    [
        ([0.5, 3.0], ["0.5", "1", "2"]),
        ([1e-3, 1.0, np.nan], ["0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1"]),
        ([1e-12, 1.0], ["1e-12", "1e-10", "1e-8", "1e-6", "0.0001", "0.01", "1"]),
        ([0.05, 3.0], ["0.05", "0.1", "0.2", "0.5", "1", "2"]),
        ([2e-4, 7e-4], ["0.0002", "0.0005"]),
        ([1e-300, 1.7e308], ["1e-300", "1e-223", "1e-146", "1e-69", "1e8", "1e85", "1e162", "1e239"]),
        ([], ["0.91", "1", "1.1"]),
    ],
)
def test_the_ticks_of_a_log_axis(numbers: list[float], ticks: list[str]) -> None:
    assert log_axis(np.array(numbers))["ticktext"] == ticks
