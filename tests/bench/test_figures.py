"""The figures show what the records say: the numbers of their lines, their words, and what they do without results."""

from __future__ import annotations

import gzip
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from nonstop.errors import MissingExtraError
from nonstop_bench import score
from nonstop_bench.case import Case
from nonstop_bench.figures import curves, step, timeline, trajectories, wording
from nonstop_bench.figures.canvas import Drawing, settings
from nonstop_bench.figures.catalogue import FIGURES, draw_all
from nonstop_bench.figures.moments import Moment
from nonstop_bench.figures.results import NoResultsError
from nonstop_bench.figures.style import SMALL, STYLES
from nonstop_bench.presets import ELEVEN, PRESETS
from nonstop_bench.records import Array, Record, append, read
from nonstop_bench.run import run

RULES = ("ucb", "logei", "lp-ucb", "random")
NEEDED = sorted({name for figure in FIGURES.values() for name in figure.needs})
STORED = [name for name, figure in FIGURES.items() if figure.needs]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for every experiment, filled with small runs on Branin of the kind that its name says."""
    folder = tmp_path_factory.mktemp("results")
    free = Case("branin", q=3, horizon=4.0)
    kinds: Mapping[str, tuple[Case, tuple[str, ...]]] = {
        "": (free, RULES),
        "overhead": (replace(free, overhead=0.5), RULES),
        "synchronous": (replace(free, mode="synchronous"), RULES[:2]),
        "sequential": (Case("branin", q=1, horizon=None, evaluations=14, window=3), RULES[:2]),
    }
    for kind, (case, rules) in kinds.items():
        for seed in range(2):
            for rule in rules:
                append(folder / f"{kind}.jsonl", run(replace(case, rule=rule, seed=seed)))
    for name in NEEDED:
        kind = next((kind for kind in kinds if kind and name.endswith(kind)), "")
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(folder / f"{kind}.jsonl", folder / f"{name}.jsonl")
    return folder


@pytest.fixture(scope="module")
def drawings(results: Path) -> Mapping[str, Drawing]:
    return {name: FIGURES[name].draw(results) for name in STORED}


def runs_of(results: Path, kind: str = "") -> dict[str, list[Record]]:
    return score.by_label(read(results / f"{kind}.jsonl"))


def line(axes: Axes, label: str) -> tuple[Array, Array]:
    (found,) = [each for each in axes.get_lines() if each.get_label() == label]
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def labels(axes: Axes) -> set[str]:
    return {str(each.get_label()) for each in axes.get_lines()}


def smallest(drawing: Drawing) -> float:
    """The least size of the letters of a figure."""
    return min(float(text.get_fontsize()) for text in drawing.figure.findobj(Text) if isinstance(text, Text))


def test_every_need_is_an_experiment() -> None:
    assert set(NEEDED) <= set(PRESETS)


def test_every_rule_looks_like_itself_only() -> None:
    assert set(STYLES) == set(ELEVEN)
    for look in ("name", "colour", "dashes"):
        distinct = {getattr(style, look) for style in STYLES.values()}
        assert len(distinct) >= (len(ELEVEN) if look != "dashes" else 7)
    colours = np.array([to_rgb(style.colour) for style in STYLES.values()])
    apart = np.linalg.norm(colours[:, None] - colours, axis=2)[~np.eye(len(ELEVEN), dtype=bool)]
    assert apart.min() > 0.2
    assert min(STYLES[rule].width for rule in ("ucb", "logei")) > max(
        style.width for rule, style in STYLES.items() if rule not in ("ucb", "logei")
    )


@pytest.mark.parametrize("name", STORED)
def test_a_figure_is_complete_and_legible(name: str, drawings: Mapping[str, Drawing]) -> None:
    drawing = drawings[name]
    assert drawing.absent == ()
    for axes in drawing.figure.axes:
        assert axes.get_lines(), "no axes are empty"
        assert axes.get_title() or axes.get_xlabel()
    assert any(axes.get_xlabel() for axes in drawing.figure.axes)
    assert smallest(drawing) >= SMALL
    assert drawing.figure.get_size_inches()[0] <= 6.8
    assert "2 seeds" in drawing.caption
    assert "virtual time" in drawing.caption
    assert drawing.caption.endswith(".")


def test_regret_is_the_score_of_the_records(results: Path, drawings: Mapping[str, Drawing]) -> None:
    axes = drawings["regret-synthetic"].figure.axes
    assert len(axes) == len(FIGURES["regret-synthetic"].needs)
    groups = runs_of(results)
    assert labels(axes[0]) == {STYLES[rule].name for rule in RULES}
    assert axes[0].get_title() == "Branin (d = 2, q = 3)"
    assert axes[0].get_ylabel() == "log simple regret"
    assert axes[-1].get_xlabel() == "virtual time (s)"
    for rule in RULES:
        times, median = line(axes[0], STYLES[rule].name)
        assert times[[0, -1]].tolist() == [0.0, 4.0]
        expected = np.median([np.log(score.regret_curve(each, times)) for each in groups[rule]], axis=0)
        np.testing.assert_allclose(median, expected)
        assert median[-1] == pytest.approx(np.median([score.log_regret_at(each, 4.0) for each in groups[rule]]))


def test_the_first_figure_has_three_panels(results: Path, drawings: Mapping[str, Drawing]) -> None:
    regret, all_rules, standard = drawings["figure-1"].figure.axes
    assert [axes.get_title() for axes in (regret, all_rules, standard)] == [
        "(I) regret",
        "(II) all rules",
        "(III) standard rules",
    ]
    assert labels(all_rules) == {STYLES[rule].name for rule in RULES}
    assert labels(standard) == {"UCB", "LogEI", "UCB, sequential", "LogEI, sequential"}
    np.testing.assert_array_equal(line(all_rules, "UCB")[1], line(standard, "UCB")[1])
    alone = curves.over_iterations(runs_of(results, "sequential")["ucb"], "recent")
    assert alone is not None
    np.testing.assert_array_equal(line(standard, "UCB, sequential")[1], alone.band.median)


def test_curves_over_iterations_pool_blocks_of_queries(results: Path) -> None:
    runs = runs_of(results)["ucb"]
    curve = curves.over_iterations(runs, "delta")
    assert curve is not None
    first = runs[0].initial + 3  # the first three queries are quasi-random
    block = np.concatenate([each.delta[first : first + curves.BLOCK] for each in runs])
    assert curve.x[0] == np.mean(np.arange(4, 4 + curves.BLOCK))
    assert curve.band.median[0] == np.median(block)
    assert curve.band.low[0] == np.quantile(block, 0.25)
    assert curve.band.high[0] == np.quantile(block, 0.75)
    shortest = min(len(each.started) - each.initial for each in runs)
    assert curve.x[-1] <= shortest


def test_rules_without_a_model_have_no_lengthscales(drawings: Mapping[str, Drawing]) -> None:
    top, bottom = drawings["lengthscales"].figure.axes
    for axes in (top, bottom):
        assert axes.get_yscale() == "log"
        assert labels(axes) == {"UCB", "LogEI", "LP-UCB"}


def test_the_price_of_suggestions(results: Path, drawings: Mapping[str, Drawing]) -> None:
    axes = drawings["overhead"].figure.axes[0]
    free, priced = runs_of(results), runs_of(results, "overhead")
    dumbbells = [each for each in axes.get_lines() if len(np.asarray(each.get_xdata())) == 2]
    assert len(dumbbells) == len(RULES)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [STYLES[rule].name for rule in RULES]
    for rule, each in zip(RULES, dumbbells, strict=True):
        medians = [np.median([score.log_regret_at(r, 4.0) for r in runs[rule]]) for runs in (free, priced)]
        np.testing.assert_allclose(np.asarray(each.get_xdata()), medians)
    assert "0.5 virtual seconds" in drawings["overhead"].caption


def test_workers_that_wait(drawings: Mapping[str, Drawing]) -> None:
    (axes,) = drawings["synchronous"].figure.axes
    assert labels(axes) == {"UCB", "LogEI", "UCB, synchronous", "LogEI, synchronous"}


def test_absent_experiments_are_left_out_and_said(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    partial = tmp_path / "results"
    (partial / "paper").mkdir(parents=True)
    with gzip.open(partial / "paper/ackley-10-q8.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write((results / "paper/ackley-10-q8.jsonl").read_text(encoding="utf-8"))
    written = draw_all(partial, tmp_path / "out", ["figure-1"])
    assert {path.name for path in written} == {"figure-1.png", "figure-1.svg", "captions.md"}
    assert capsys.readouterr().err == "warning: figure-1 lacks paper/ackley-10-sequential\n"
    drawing = FIGURES["figure-1"].draw(partial)
    assert len(drawing.figure.axes) == 2
    assert "no results: paper/ackley-10-sequential" in drawing.caption
    assert "(III)" not in drawing.caption


@pytest.mark.parametrize("name", STORED)
def test_nothing_is_drawn_from_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(NoResultsError, match="nonstop-bench run paper/"):
        FIGURES[name].draw(tmp_path)


def test_half_of_a_comparison_is_none(results: Path, tmp_path: Path) -> None:
    (tmp_path / "paper").mkdir()
    shutil.copy(results / "paper/ackley-10-q8.jsonl", tmp_path / "paper")
    for name, other in (("synchronous", "ackley-10-q8-synchronous"), ("overhead", "ackley-10-q8-overhead")):
        with pytest.raises(NoResultsError, match=f"run paper/{other}"):
            FIGURES[name].draw(tmp_path)


def test_files_are_the_same_every_time_and_captions_stay(results: Path, tmp_path: Path) -> None:
    first = draw_all(results, tmp_path / "a", ["synchronous"])
    draw_all(results, tmp_path / "b", ["synchronous"])
    for path in first:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert "<dc:date>" not in (tmp_path / "a/synchronous.svg").read_text(encoding="utf-8")
    draw_all(results, tmp_path / "a", ["timeline"])
    said = (tmp_path / "a/captions.md").read_text(encoding="utf-8")
    assert said.index("## timeline") < said.index("## synchronous")  # in the order of the catalogue
    assert FIGURES["synchronous"].draw(results).caption in said


def test_an_unknown_figure_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'figure1': did you mean figure-1"):
        draw_all(tmp_path, tmp_path / "out", ["figure1"])
    assert not (tmp_path / "out").exists()


def test_without_matplotlib_the_extra_is_named(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"bench\[bench\]"):
        FIGURES["figure-1"].draw(results)


def test_workers_on_the_timeline_do_one_thing_at_a_time() -> None:
    lanes = {mode: timeline.spans(mode) for mode in timeline.MODES}
    for spans in lanes.values():
        for worker in range(timeline.WORKERS):
            own = sorted((span.start, span.end) for span in spans if span.worker == worker)
            assert own[0][0] == 0.0
            assert all(end <= start for (_, end), (start, _) in pairwise(own))
    done = {mode: [span for span in spans if span.done] for mode, spans in lanes.items()}
    assert len(done["asynchronous"]) > len(done["synchronous"])
    busy = sum(span.end - span.start for span in lanes["asynchronous"])
    assert busy == pytest.approx(timeline.WORKERS * timeline.HORIZON)  # nobody waits
    drawing = FIGURES["timeline"].draw(Path())
    assert f"finish {len(done['synchronous'])} of them" in drawing.caption
    assert (
        drawing.figure.axes[1].get_title(loc="left")
        == f"asynchronous: {len(done['asynchronous'])} evaluations finished"
    )


@pytest.fixture(scope="module")
def steps() -> Mapping[str, list[Moment]]:
    return {rule: step.run(rule) for rule in step.RULES}


@pytest.mark.parametrize("rule", step.RULES)
def test_moments_show_where_the_queries_came_from(rule: str, steps: Mapping[str, list[Moment]]) -> None:
    first, *later = steps[rule]
    assert len(first.y) == 3
    assert [busy.worker for busy in first.busy] == [1, 2]
    assert later[0].query is not None
    assert later[0].query.worker == 2  # as in the paper, the second worker finishes first
    np.testing.assert_array_equal(later[0].X[-1], first.busy[1].x)
    grid = np.linspace(0.0, 1.0, 2001)[:, None]
    for moment in later:
        assert moment.query is not None
        assert len(moment.busy) == 1
        best = moment.acquisition(grid)
        assert moment.acquisition(moment.query.x[None])[0] >= best.max() - 1e-3 * np.ptp(best)
        mean, sd = moment.posterior(moment.X)
        assert np.all(np.abs(mean - moment.y) < 0.05 * np.ptp(moment.y))
        assert np.all(sd >= 0.0)


def test_the_rules_differ_in_their_acquisition_only(steps: Mapping[str, list[Moment]]) -> None:
    """At the first query all rules have the same data; UCB sees no busy point, LP-UCB vanishes there."""
    ucb, penalized, believer = (steps[rule][1] for rule in step.RULES)
    np.testing.assert_array_equal(ucb.X, penalized.X)
    np.testing.assert_array_equal(ucb.X, believer.X)
    busy = ucb.busy[0].x[None]
    assert penalized.acquisition(busy)[0] == pytest.approx(0.0, abs=1e-6)
    assert believer.acquisition(busy)[0] < ucb.acquisition(busy)[0]


@pytest.mark.parametrize(("name", "first", "rows"), [("step-1d", 0, 2), ("step-1d-continued", 2, 3)])
def test_steps_are_drawn(name: str, first: int, rows: int) -> None:
    drawing = FIGURES[name].draw(Path())
    assert len(drawing.figure.axes) == 2 * rows * len(step.RULES)
    marked = drawing.figure.axes[0].get_ylabel().splitlines()[0]
    assert marked == f"step {first}"
    queried = [axes for axes in drawing.figure.axes if "next query" in labels(axes)]
    assert len(queried) == 2 * len(step.RULES) * (rows - (first == 0))
    assert smallest(drawing) >= SMALL


def test_trajectories_start_from_the_same_data() -> None:
    alone, together, penalized = (trajectories.walk(rule, workers, seed=0) for rule, workers in trajectories.MAIN)
    for path in (alone, together, penalized):
        np.testing.assert_array_equal(path.initial, alone.initial)
        assert path.queries.shape == (trajectories.QUERIES, 2)
    assert len(alone.started) == 1
    np.testing.assert_array_equal(together.started, penalized.started)


def test_trajectories_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectories, "QUERIES", 4)
    for name, columns in (("trajectories-2d", trajectories.MAIN), ("trajectories-2d-more", trajectories.MORE)):
        drawing = FIGURES[name].draw(Path())
        panels = drawing.figure.axes[:-1]  # the last is the colour bar
        assert len(panels) == 2 * len(columns)
        for axes in panels:
            (points,) = [each for each in axes.collections if isinstance(each, PathCollection)]
            assert len(np.asarray(points.get_offsets())) == 4


def test_words(results: Path) -> None:
    (first, second) = runs_of(results)["ucb"]
    assert wording.seeds([first]) == "1 seed"
    assert wording.seeds([first, second]) == "2 seeds"
    assert wording.seeds([first, second, *runs_of(results)["random"][:1]]) == "1 to 2 seeds"
    assert wording.task_name("shifted-ackley-10") == "Shifted Ackley"
    assert wording.task_name("egg-holder") == "Egg Holder"
    measured = replace(first, case=replace(first.case, overhead="measured"))
    assert wording.overhead([measured]) == "a suggestion takes the virtual time that it really took"


def test_users_settings_do_not_matter_and_stay() -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 30.0}):
        with settings():
            assert matplotlib.rcParams["font.size"] == 8.0
        assert matplotlib.rcParams["font.size"] == 30.0
