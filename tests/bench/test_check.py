"""Committed results hold on the present code, and a change of the code would be seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from nonstop_bench import check as checking
from nonstop_bench.aged import aged
from nonstop_bench.case import Case
from nonstop_bench.check import Finding, agrees, beginning, compared, line, sample
from nonstop_bench.cli import main
from nonstop_bench.records import Record, append, pack
from nonstop_bench.run import run
from tests.bench.made import there

ROOT = Path(__file__).parents[2]
CASE = Case("branin", rule="ucb", q=2, horizon=8.0)


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *(str(argument) for argument in arguments), "--workers", "1"])


@pytest.fixture(scope="module")
def made() -> Record:
    return Record.from_json(run(CASE).to_json())


@pytest.fixture
def folder(tmp_path: Path, made: Record) -> Path:
    append(tmp_path / "x.jsonl", made)
    return tmp_path


def moved(record: Record, query: int) -> Record:
    """The record with another query of the model."""
    points = there(record.points).copy()
    points[record.initial + record.case.q + query] += 1e-4
    return replace(record, points=points)


def older(record: Record) -> Record:
    return replace(record, versions={**(record.versions or {}), "numpy": "1.0"})


def test_the_committed_results_hold() -> None:
    """The short form, as CI runs it."""
    said = call("--short", "--sample", "8", ROOT / "benchmarks/results")
    assert said.exit_code == 0, said.output
    assert "holds, " in said.output


def test_only_results_that_exist_are_declared_aged() -> None:
    folder = ROOT / "benchmarks/results"
    assert set(aged(folder)) <= set(checking.experiments(folder))


def test_a_run_holds_in_full_and_in_short(folder: Path, made: Record) -> None:
    full, short = call(folder), call("--short", folder)
    assert full.exit_code == short.exit_code == 0
    queries = len(made.value) - made.initial - 2
    assert f"x ucb seed 0 {made.made_by:>60}".split() == full.output.splitlines()[0].partition(" holds,")[0].split()
    assert f"holds, {queries} queries\n" in full.output
    assert queries > checking.SHORT > checking.ENOUGH
    assert f"holds, {min(checking.SHORT, queries)} queries\n" in short.output


def test_a_run_that_differs_fails_unless_it_is_declared_aged(folder: Path, made: Record) -> None:
    append(folder / "y.jsonl", moved(made, 0))
    failed = call(folder)
    assert failed.exit_code == 1
    assert "differs from query 1 of" in failed.output
    assert "a run of y does not hold: make it anew, or declare it aged" in failed.stderr
    (folder / "aged.toml").write_text('[aged]\ny = "the maximiser changed"\n')
    passed = call(folder)
    assert passed.exit_code == 0
    assert "; aged: the maximiser changed\n" in passed.output
    (folder / "aged.toml").write_text('[aged]\ny = "the maximiser changed"\nz = "gone"\n')
    assert "aged.toml names z, which has no results" in call(folder).stderr
    for wrong in ("[aged]\ny = 1\n", "y = 'x'\n"):
        (folder / "aged.toml").write_text(wrong)
        assert "must have a table [aged]" in call(folder).stderr


def test_what_nobody_knows_the_commit_of_has_to_be_declared(folder: Path, made: Record) -> None:
    bare = replace(made, commit=None, clean=None, points=None, versions=None)
    append(folder / "old.jsonl", bare)
    assert "old is of an unknown commit" in call(folder).stderr
    (folder / "aged.toml").write_text('[aged]\nold = "made long ago"\n')
    said = call(folder)
    assert said.exit_code == 0
    assert "1 experiments are of an unknown commit and cannot be checked" in said.output


def test_rounding_may_part_runs_later_on_but_only_with_other_versions(made: Record) -> None:
    late, early = moved(made, 12), moved(made, checking.ENOUGH - 1)
    assert compared("x", made, made).verdict == "holds"
    same = compared("x", late, made)
    assert (same.verdict, same.agree, same.others, same.held) == ("holds until", 12, "", False)
    other = compared("x", older(late), made)
    assert (other.verdict, other.held) == ("holds until", True)
    assert "holds until query 12 of" in line(other, None)
    assert "(numpy 1.0 then " in line(other, None)
    assert [compared("x", it, made).held for it in (early, older(early))] == [False, False]
    unnamed = replace(late, versions={name: text for name, text in (late.versions or {}).items() if name != "blas"})
    assert compared("x", unnamed, made).held, "it may have been another processor"
    front = [replace(it, case=replace(CASE, rule="aegis")) for it in (early, older(early))]
    assert [compared("x", it, made).verdict for it in front] == ["differs", "rounding"]
    assert Finding("x", front[1], "rounding").held


def test_a_run_of_another_length_or_with_other_values_differs(made: Record) -> None:
    values = made.value.copy()
    known = np.flatnonzero(np.isfinite(made.value))[-1]
    values[known] += np.ptp(made.value[np.isfinite(made.value)])
    assert not agrees(replace(made, value=values), made, int(known))
    cut = replace(made, points=there(made.points)[:-1], value=made.value[:-1])
    assert compared("x", cut, made).verdict == "holds until"
    assert compared("x", made, cut).verdict == "holds until"


def test_the_sample_is_random_and_from_all_experiments(tmp_path: Path, made: Record) -> None:
    for name in ("a", "b", "c/d"):
        path = tmp_path / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        for seed in range(6):
            append(path, replace(made, case=replace(CASE, seed=seed)))
    append(tmp_path / "b.jsonl", replace(made, case=replace(CASE, overhead="measured")))
    append(tmp_path / "b.jsonl", replace(made, case=replace(CASE, optimizer="smac-rf")))
    (tmp_path / "other.jsonl").write_text('{"kind": "timing"}\n')
    pack(tmp_path / "a.jsonl")
    names = checking.experiments(tmp_path)
    assert names == ["a", "b", "c/d"]
    chosen = [sample(tmp_path, names, 3, seed) for seed in range(5)]
    assert all({name for name, _ in runs} == set(names) for runs in chosen), "one of each first"
    assert len({tuple(record.case.seed for _, record in runs) for runs in chosen}) > 1
    everything = sample(tmp_path, names, 100, 0)
    assert len(everything) == 18, "what the clock or another optimiser decided is not repeatable"
    assert [record.case for _, record in sample(tmp_path, names, 9, 4)] == [
        record.case for _, record in sample(tmp_path, names, 9, 4)
    ]


def test_the_beginning_of_a_run_is_a_run_of_fewer_evaluations() -> None:
    assert beginning(CASE) == replace(CASE, evaluations=2 + checking.SHORT)
    assert beginning(replace(CASE, evaluations=5)).evaluations == 5
