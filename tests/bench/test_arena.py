"""The arena: its two halves, and the tables of its results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from nonstop_bench.arena.command import FIRST, gathered, picked
from nonstop_bench.arena.halves import ARENA, contender, kind, tasks
from nonstop_bench.arena.standing import standing
from nonstop_bench.arena.table import report
from nonstop_bench.case import OURS, Case
from nonstop_bench.cli import main
from nonstop_bench.contest import at_equal_evaluations
from nonstop_bench.presets import preset
from nonstop_bench.problems.coco import BASES, NAME
from nonstop_bench.records import Record, append, read
from nonstop_bench.suites import CHOOSING, HELD_OUT
from tests.bench.made import NAN, record

HALVES = {
    half: [case for part in ARENA if part.name.startswith(f"arena/{half}") for case in part.cases]
    for half in ("choosing", "held-out")
}


def bbob(problem: str) -> int | None:
    """The function of bbob behind a task."""
    parts = NAME.fullmatch(problem)
    if parts is None:
        return None
    number = int(parts[2])
    return BASES[number - (number - 101) % 3] if parts[1] == "bbob-noisy" else number


def test_each_kind_is_in_both_halves_and_no_task_is() -> None:
    kinds = [{kind(case.problem) for case in cases} for cases in HALVES.values()]
    assert kinds[0] == kinds[1]
    assert kinds[0] == {
        "formulas",
        "bbob",
        "bbob-mixint",
        "bbob-noisy",
        "tune",
        "sparse",
        "noise-3",
        "noise-10",
        "noise-30",
    }
    names = [{case.problem for case in cases} for cases in HALVES.values()]
    assert not names[0] & names[1]
    functions = [{bbob(name) for name in each} - {None} for each in names]
    assert not functions[0] & functions[1], "a function of bbob is in both halves"


def test_the_arena_has_what_the_first_contest_had() -> None:
    for half, suite in (("choosing", CHOOSING), ("held-out", HELD_OUT)):
        mine = tasks(half)[: len(suite)]  # type: ignore[arg-type]
        assert [replace(case, overhead=0.0) for case in mine] == list(suite)


def test_the_halves_are_as_wide_as_they_say() -> None:
    for cases in HALVES.values():
        names = [case.problem for case in cases]
        for suite in ("bbob", "bbob-mixint", "bbob-noisy"):
            found = [NAME.fullmatch(name) for name in names]
            assert {parts[3] for parts in found if parts and parts[1] == suite} == {"5", "10", "20"}
        assert {name.rpartition("-")[2] for name in names if name.startswith("sparse-")} == {"50", "100"}
        assert len(names) == len(set(names))
    assert sum(case.problem.startswith("tune-") for cases in HALVES.values() for case in cases) >= 8


def run(problem: str, label: str, seed: int, regret: float, seconds: float = 0.01) -> Record:
    """Two evaluations of two workers after one initial point, the second with this regret."""
    case = Case(problem, q=2, seed=seed, horizon=None, evaluations=2, overhead="measured", optimizer=label)
    return finished(case.by(OURS) if label == OURS else case, regret, seconds)


def finished(case: Case, regret: float, seconds: float = 0.01) -> Record:
    return record(case, finished=[0.0, 0.5, 1.0], value=[8.0, 4.0, regret], seconds=[NAN, seconds, seconds])


RUNS = [
    run("branin", OURS, 0, 1e-2),
    run("branin", OURS, 1, 1e-3),
    run("branin", "hebo", 0, 1e-4),
    run("branin", "hebo", 1, 1e-2, seconds=2.0),
    run("tune-svm-digits", OURS, 0, 0.1),
    run("tune-svm-digits", OURS, 1, 0.1),
    run("tune-svm-digits", "hebo", 0, 0.1),
    run("tune-svm-digits", "random", 1, 0.9),
]


def test_pairs_are_those_that_both_ran() -> None:
    found = standing(RUNS, at_equal_evaluations)
    assert found.labels == (OURS, "hebo", "random")
    assert found.pairs == (("branin", 0), ("branin", 1), ("tune-svm-digits", 0), ("tune-svm-digits", 1))
    assert found.won(1).tolist() == [0.0, 1.0, 0.5]
    assert found.won(2).tolist() == [1.0]
    assert found.won(1, found.of("tune-svm-digits")).tolist() == [0.5]
    assert found.ahead(1, "branin") == pytest.approx(np.median([-2.0, 1.0]))
    assert found.kinds() == {"formulas": ["branin"], "tune": ["tune-svm-digits"]}
    assert np.isnan(found.ranks()[0]).all(), "no pair was run by all three"


def test_ranks_weigh_tasks_alike() -> None:
    """Two seeds of one task do not count twice, and the standard error is that over tasks."""
    found = standing([each for each in RUNS if each.case.label != "random"], at_equal_evaluations)
    means, errors = found.ranks()
    assert means == pytest.approx([1.5, 1.5])
    assert errors == pytest.approx([0.0, 0.0])
    more = standing([*RUNS[4:7], run("levy-6", OURS, 0, 1.0), run("levy-6", "hebo", 0, 2.0)], at_equal_evaluations)
    means, errors = more.ranks()
    assert means == pytest.approx([1.25, 1.75])
    assert errors == pytest.approx([0.25, 0.25])


def test_botorch_is_one_contender_whichever_of_its_rules_a_task_asks_for() -> None:
    runs = [
        run("branin", OURS, 0, 1.0),
        run("branin", "botorch-qlogei", 0, 2.0),
        run("noise-10-branin", OURS, 0, 2.0),
        run("noise-10-branin", "botorch-qlognei", 0, 1.0),
    ]
    found = standing(runs, at_equal_evaluations)
    assert found.labels == (OURS, "botorch")
    assert found.won(1).tolist() == [1.0, 0.0]
    assert found.ranks()[0] == pytest.approx([1.5, 1.5])
    assert "| botorch | 1.50 ± 0.50 | 0.50 (0.09 to 0.91) of 2 |" in report(runs)
    assert [contender(label) for label in (OURS, "optuna-gp", "botorch-ucb")] == [OURS, "optuna-gp", "botorch"]


def test_no_share_is_below_zero() -> None:
    text = report([run("branin", OURS, 0, 2.0), run("branin", "hebo", 0, 1.0)])
    assert "0.00 (0.00 to 0.79) of 1" in text


def test_the_report_says_how_much_it_rests_on() -> None:
    other = run("branin", OURS, 0, 1.0)
    text = report([*RUNS, replace(other, case=other.case.by("kb-ucb@rbf"))])
    assert "2 tasks and 2 seeds: 4 pairs, of which all 4 contenders ran 0." in text
    assert "Configurations of nonstop tried in these results: 2.\n" in text
    older = report([replace(each, commit=None) for each in RUNS[3:5]] + RUNS[5:])
    assert "2 of these runs are those of the first contest" in older
    (overall,) = [line for line in text.splitlines() if line.startswith("| hebo | – |")]
    assert "0.50 (0.13 to 0.87) of 3" in overall
    assert "| hebo | 0.50 (0.09 to 0.91) of 2 | 0.50 (0.05 to 0.95) of 1 |" in text
    assert "| branin | -2.50 | -0.50 |" in text


def test_cases_by_task_and_contender() -> None:
    name = "arena/choosing"
    cases = picked(name, 2, ["nonstop", "kb-ucb@rbf", "hebo"], ["bbob-f3-*", "tune-*"])
    assert {case.label for case in cases} == {"nonstop", "kb-ucb@rbf", "hebo"}
    assert len(cases) == 2 * 3 * 6
    assert picked(name, None, None, None) == preset(name).cases()
    with pytest.raises(ValueError, match=r"arena/choosing has no bbob-f99-\*, only hartmann-6, "):
        picked(name, 1, None, ["bbob-f99-*"])
    formulas = picked("arena/held-out", 1, ["nonstop"], ["formulas"])
    assert [case.problem for case in formulas] == [case.problem for case in HELD_OUT]


def test_runs_of_the_first_contest_count_until_they_are_made_again(tmp_path: Path) -> None:
    """Those of the others that the arena asks for: not ours, not BoTorch's UCB, not an eleventh seed."""
    part = preset("arena/held-out")
    asked = {case.label: case for case in part.cases(1) if case.problem == "shekel"}
    tpe, botorch = asked["optuna-tpe"], asked["botorch-qlogei"]
    others = [asked[OURS], replace(botorch, optimizer="botorch-ucb"), replace(botorch, seed=10)]
    (tmp_path / "peers").mkdir()
    (tmp_path / "arena").mkdir()
    for case in (tpe, botorch, *others):
        append(tmp_path / f"{FIRST}.jsonl", replace(finished(case, 3.0), commit=None))
    assert [each.case for each in gathered(tmp_path, part.name)] == [tpe, botorch]
    again = replace(finished(tpe, 2.0), commit="c0ffee", clean=True)
    append(tmp_path / f"{part.name}.jsonl", again)
    found = {each.case: each for each in gathered(tmp_path, part.name)}
    assert set(found) == {tpe, botorch}
    assert (found[tpe].commit, found[botorch].commit) == ("c0ffee", None)


def test_the_command_runs_and_prints(tmp_path: Path) -> None:
    options = ["--seeds", "1", "--rules", "random", "--tasks", "tune-weights-wine", "--workers", "1"]
    ran = CliRunner().invoke(main, ["arena", "choosing", *options, "--results", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    assert "tune-weights-wine random seed 0: " in ran.stderr
    path = tmp_path / "arena" / "choosing.jsonl"
    (made,) = read(path)
    append(path, replace(made, case=replace(made.case, optimizer=OURS).by(OURS)))
    told = CliRunner().invoke(main, ["arena", "choosing", "choosing-noise", "--only-table", "--results", str(tmp_path)])
    head = f"<!-- nonstop-bench arena choosing choosing-noise --only-table --results {tmp_path.as_posix()} -->"
    assert told.stdout.startswith(head)
    assert "| random | 1.50 ± nan | 0.50 (0.05 to 0.95) of 1 |" in told.stdout
    nothing = CliRunner().invoke(main, ["arena", "held-out", "--only-table", "--results", str(tmp_path)])
    assert "no results of arena/held-out in" in nothing.stderr
