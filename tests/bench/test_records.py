"""A line of JSON holds a run; files grow by whole lines."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonstop_bench.case import Case
from nonstop_bench.origin import OUTSIDE
from nonstop_bench.points import STEP, packed, unpacked
from nonstop_bench.records import COLUMNS, GUARDS, Record, append, mend, read, stored
from nonstop_bench.run import run
from tests.bench.made import NAN, record

NUMBERS = st.just(NAN) | st.floats(-1e300, 1e300)
CASES = st.builds(
    Case,
    problem=st.text(min_size=1),
    rule=st.sampled_from(["ucb", "kb-logei"]),
    q=st.integers(1, 100),
    seed=st.integers(0, 2**32),
    horizon=st.floats(0.1, 1e6),
    evaluations=st.none() | st.integers(1, 10**6),
    mode=st.sampled_from(["asynchronous", "synchronous"]),
    duration=st.none() | st.just("constant"),
    overhead=st.just("measured") | st.floats(0.0, 10.0),
    failure_rate=st.floats(0.0, 1.0),
    noise=st.floats(0.0, 10.0),
    surrogate=st.text(),
    optimizer=st.text(min_size=1),
    window=st.none() | st.integers(1, 20),
)


@st.composite
def runs(draw: st.DrawFn) -> Record:
    length = draw(st.integers(0, 6))
    columns: dict[str, Any] = {
        name: np.array(draw(st.lists(NUMBERS, min_size=length, max_size=length)), dtype=np.float64) for name in COLUMNS
    }
    optimum, dim = draw(st.floats(allow_nan=False, allow_infinity=False)), draw(st.integers(1, 5))
    proof = draw(st.just({}) | st.builds(_proof, st.just(length), st.integers(1, 5), st.integers(0, 99)))
    return Record(draw(CASES), dim, optimum, draw(st.integers(0, 99)), draw(st.text()), **columns, **proof)


def _proof(length: int, columns: int, seed: int) -> dict[str, Any]:
    """What a record of a known commit has besides."""
    rng = np.random.default_rng(seed)
    guards = {name: rng.integers(0, 3, length).astype(np.float64) for name in GUARDS}
    known = {"commit": "a" * 40, "clean": False, "versions": {"numpy": "2"}, "settings": {"rule": {"is": "UCB"}}}
    return {**known, "took": 0.5, "points": rng.random((length, columns if length else 0)), **guards}


def same(one: Record, other: Record) -> bool:
    """NaN is equal to NaN here."""
    return all(
        np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b
        for a, b in ((getattr(one, field.name), getattr(other, field.name)) for field in fields(Record))
    )


@settings(max_examples=50, deadline=None)
@given(runs())
def test_a_record_comes_back_from_its_line(original: Record) -> None:
    line = original.to_json()
    assert "\n" not in line
    back = Record.from_json(line)
    assert same(back, Record.from_json(back.to_json())), "what was rounded once stays as it is"
    assert back.case == original.case
    assert (back.dim, back.optimum, back.initial) == (original.dim, original.optimum, original.initial)
    for name in ("commit", "clean", "versions", "settings", "took"):
        assert getattr(back, name) == getattr(original, name)
    assert (back.points is None) == (original.points is None) == (back.repeated is None) == (back.commit is None)
    if original.points is not None and back.points is not None:
        assert np.allclose(back.points, original.points, rtol=0.0, atol=0.51 * STEP)
        assert all(np.array_equal(getattr(back, name), getattr(original, name)) for name in GUARDS)
    for name in COLUMNS:
        before, after = getattr(original, name), getattr(back, name)
        assert np.array_equal(np.isnan(before), np.isnan(after))
        digits = 12 if name in ("value", "observed") else 7 if name in ("started", "finished") else 4
        tiny = np.abs(before) < 1e-300  # numbers that have no more digits themselves
        assert np.allclose(after[~tiny], before[~tiny], rtol=0.51 * 10.0 ** (1 - digits), atol=0.0, equal_nan=True)


def test_values_keep_the_digits_of_a_small_regret() -> None:
    kept = Record.from_json(record(value=[-959.640662720851, 1 / 3], seconds=1 / 3).to_json())
    assert kept.value.tolist() == [-959.640662721, 0.333333333333]
    assert kept.seconds.tolist() == [0.3333, 0.3333]


def test_points_are_small_and_exact_at_the_borders() -> None:
    X = np.random.default_rng(0).random((100, 10))
    assert len(packed(X)) < 4100
    corners = np.array([[0.0, 1.0], [1.0, 0.5], [STEP, 1.0 - STEP]])
    assert np.abs(unpacked(packed(corners), len(corners)) - corners).max() < 0.51 * STEP
    assert unpacked(packed(corners), len(corners))[0].tolist() == [0.0, 1.0]
    assert unpacked(packed(np.empty((0, 3))), 0).shape == (0, 0)


def test_a_run_in_a_mixed_space_comes_back() -> None:
    """A choice has a column for each of its values, so there are more columns than parameters."""
    original = run(Case("mixed-ackley-6", rule="random", q=2, horizon=None, evaluations=3))
    back = Record.from_json(original.to_json())
    assert original.points is not None
    assert back.points is not None
    assert original.points.shape[1] > original.dim
    assert np.allclose(back.points, original.points, rtol=0.0, atol=0.51 * STEP)


def test_a_record_says_which_commit_made_it() -> None:
    made = record(value=[1.0])
    assert made.made_by == "commit 0123456789ab"
    assert replace(made, clean=False).made_by == "commit 0123456789ab with changes"
    assert replace(made, commit=None).made_by == replace(made, commit=OUTSIDE).made_by == "an unknown commit"


def test_a_line_is_plain_json_with_the_case_in_front() -> None:
    data = json.loads(record(Case("branin", rule="ts", q=3), value=[1.0, NAN], finished=[0.0, NAN]).to_json())
    assert list(data)[:4] == ["problem", "rule", "q", "seed"]
    assert (data["problem"], data["rule"], data["value"], data["finished"]) == (
        "branin",
        "ts",
        [1.0, None],
        [0.0, None],
    )
    with pytest.raises(ValueError, match="JSON compliant"):
        record(value=[math.inf]).to_json()


@settings(max_examples=30, deadline=None)
@given(cut=st.integers(0, 10_000))
def test_a_line_that_was_not_finished_is_left_out_and_cut_off(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("torn") / "x.jsonl"
    one, two = (record(Case("branin", seed=seed), value=[1.0, 2.0]) for seed in (0, 1))
    append(path, one)
    whole = path.stat().st_size
    append(path, two)
    torn = path.read_bytes()[: whole + cut % (path.stat().st_size - whole)]
    path.write_bytes(torn)
    assert [run.case.seed for run in read(path)] == [0]
    mend(path)
    assert path.stat().st_size == whole
    append(path, two)
    assert [run.case.seed for run in read(path)] == [0, 1]


def test_mending_a_file_without_a_whole_line_empties_it(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"problem":')
    mend(path)
    assert path.read_bytes() == b""


def test_what_is_kept_compressed_and_what_was_added_belong_together(tmp_path: Path) -> None:
    assert stored(tmp_path, "paper/x") == []
    (tmp_path / "paper").mkdir()
    packed, plain = tmp_path / "paper/x.jsonl.gz", tmp_path / "paper/x.jsonl"
    lines = "".join(record(Case("branin", seed=seed), value=[1.0]).to_json() + "\n" for seed in range(3))
    packed.write_bytes(gzip.compress(lines.encode()))
    assert [run.case.seed for run in stored(tmp_path, "paper/x")] == [0, 1, 2]
    append(plain, record(Case("branin", seed=9), value=[1.0]))
    assert [run.case.seed for run in stored(tmp_path, "paper/x")] == [0, 1, 2, 9]


@pytest.mark.parametrize("wrong", ["{", "[]", "{}", '{"problem": "branin"}'])
def test_a_line_that_is_no_record_is_named(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    append(path, record(value=[1.0]))
    path.write_text(path.read_text() + wrong + "\n")
    with pytest.raises(ValueError, match=r"line 2 of .*x\.jsonl is not the record of a run"):
        read(path)


def test_equal_cases_are_one_however_they_are_written() -> None:
    assert len({Case("branin", horizon=30), Case("branin", horizon=30.0), Case("branin", overhead=0)}) == 1
    with pytest.raises(ValueError, match="a horizon, a number of evaluations, or both"):
        Case("branin", horizon=None)
