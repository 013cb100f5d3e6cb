"""`nonstop-bench`, called as from a shell."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nonstop_bench.cli import main
from nonstop_bench.presets import PRESETS, preset
from nonstop_bench.problems.catalogue import find
from nonstop_bench.records import append, read, stored
from nonstop_bench.score import log_regret_at
from tests.bench.made import ends_at


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def error_of(*arguments: str | Path) -> str:
    """The one line that says what went wrong."""
    result = call(*arguments)
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("Error: ")


def test_the_list_names_every_experiment(tmp_path: Path) -> None:
    result = call("list", "--results", tmp_path)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == list(PRESETS)
    assert lines[0].split(maxsplit=6)[1:6] == ["11", "x", "50", "seeds", "-"]
    assert lines[-1].endswith("Branin in seconds, to see how things work")


@pytest.mark.parametrize(
    "name", sorted({case.problem for each in PRESETS.values() for case in (each.base, *each.also)})
)
def test_the_task_of_every_experiment_can_be_found(name: str) -> None:
    if name.startswith("bbob-"):
        pytest.importorskip("cocoex")
    assert find(name).name.startswith(name)


def test_run_then_table(tmp_path: Path) -> None:
    command = ("run", "small", "--seeds", "1", "--rules", "ucb, random", "--workers", "1", "--results", tmp_path)
    first = call(*command)
    assert first.exit_code == 0, first.output
    assert first.output.endswith(f"small: 2 runs in {tmp_path / 'small.jsonl'}\n")
    runs = read(tmp_path / "small.jsonl")
    regrets = {run.case.rule: f"{log_regret_at(run, 5.0):.2f}" for run in runs}
    assert first.output.startswith("small: 2 runs to do\n")
    assert f"small ucb seed 0: log regret {regrets['ucb']}, " in first.output
    assert {run.case for run in runs} == {replace(preset("small").base, rule=rule) for rule in ("ucb", "random")}

    again = call(*command)
    assert again.output == f"small: 2 runs in {tmp_path / 'small.jsonl'}\n", "nothing is run again"

    table = call("table", "small", "--results", tmp_path)
    assert table.exit_code == 0
    for rule, better in (("ucb", "–"), ("random", "0.00")):
        own = regrets[rule]
        assert f"| {rule} | {own} | {own} to {own} | {better} | 21 |" in table.output


def test_all_tables_at_once(tmp_path: Path) -> None:
    (tmp_path / "paper").mkdir()
    for name in ("paper/hartmann-6-q4", "paper/ackley-10-q8"):
        append(tmp_path / f"{name}.jsonl", ends_at(1.0, preset(name).base))
    result = call("table", "--all", "--results", tmp_path)
    assert result.exit_code == 0
    assert result.output.startswith(f"<!-- nonstop-bench table --all --results {tmp_path} -->\n\n## paper/ackley-10-q8")
    each = call("table", "paper/ackley-10-q8", "paper/hartmann-6-q4", "--results", tmp_path)
    assert result.output.partition("-->\n\n")[2] + "\n" == each.output
    for wrong in (("table",), ("table", "small", "--all")):
        assert call(*wrong).exit_code == 2
        assert "name experiments, or give --all" in call(*wrong).stderr


def test_peers(tmp_path: Path) -> None:
    """The one that is always installed, beside ours."""
    name = "peers/held-out"
    base = preset(name).base
    (tmp_path / "peers").mkdir()
    append(tmp_path / f"{name}.jsonl", ends_at(1.0, replace(base.by("nonstop"), evaluations=2)))
    ran = call("peers", name, "--seeds", "1", "--rules", "random", "--workers", "1", "--results", tmp_path)
    assert ran.exit_code == 0, ran.output
    assert f"{name} random seed 0: log regret " in ran.output
    assert "| nonstop | " in ran.output
    told = call("peers", name, "--only-table", "--results", tmp_path)
    assert told.output.startswith(f"<!-- nonstop-bench peers {name} --only-table --results {tmp_path} -->\n\n")
    assert told.output.partition("-->\n\n")[2] in ran.output


def test_errors_are_one_line(tmp_path: Path) -> None:
    results = ("--results", tmp_path)
    assert error_of("run", "smal", *results) == "there is no experiment 'smal': did you mean small?"
    assert error_of("run", "small", "--rules", "ucb,best", *results).startswith("small has no best, only ucb, logei")
    assert error_of("table", "small", *results).startswith(f"no results of small in {tmp_path}: run it first")
    assert error_of("table", "--all", *results) == f"no results of any experiment of the paper in {tmp_path}"
    assert error_of("peers", "--only-table", *results).startswith("no results of peers/held-out")
    (tmp_path / "small.jsonl").write_text("{}\n")
    assert error_of("table", "small", *results).startswith(f"line 1 of {tmp_path / 'small.jsonl'} is not the record")
    assert "Not a directory" in error_of("run", "small", "--results", tmp_path / "small.jsonl" / "below")
    assert call("run", "small", "--engine", "slurm", *results).exit_code == 2
    assert not list(tmp_path.glob("*/*"))


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-u", "-m", "nonstop_bench.cli", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_peer_that_is_not_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "small", replace(preset("small"), peers=("no-such-peer",)))
    said = error_of("run", "small", "--seeds=1", "--rules=no-such-peer", "--workers=1", "--results", tmp_path)
    assert said.startswith("got the peer 'no-such-peer', expected one of")


def test_figures_are_drawn_by_their_own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def draw_all(*arguments: object) -> list[Path]:
        asked.append(arguments)
        return [tmp_path / "figure-1.png"]

    monkeypatch.setattr("nonstop_bench.figures.catalogue.draw_all", draw_all)
    result = call("figures", "figure-1", "--results", tmp_path, "--out", tmp_path / "out")
    assert result.output == f"{tmp_path / 'figure-1.png'}\n"
    assert call("figures", "--results", tmp_path).exit_code == 0
    assert asked == [(tmp_path, tmp_path / "out", ("figure-1",)), (tmp_path, Path("figures"), None)]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ((), "run         Run experiments by name"),
        (("report",), "Judge the paper's claims by results"),
        (("statistics",), "with intervals and tests, as CSV"),
        (("list",), "List the experiments, and the processor time"),
        (("run",), "nonstop-bench run small --seeds 2 --rules ucb,random\n"),
        (("table",), "--all                Every experiment of the paper that has results."),
        (("figures",), "--out DIRECTORY"),
        (("peers",), "--only-table"),
    ],
)
def test_help(command: tuple[str, ...], says: str) -> None:
    for option in ("--help", "-h"):
        result = call(*command, option)
        assert result.exit_code == 0
        assert says in result.output


def test_the_list_says_how_long_an_experiment_takes(tmp_path: Path) -> None:
    base = preset("small").base
    append(tmp_path / "small.jsonl", replace(ends_at(1.0, base.by("ucb")), took=3.0))
    append(tmp_path / "small.jsonl", replace(ends_at(1.0, base.by("ts")), took=7.0))
    line = call("list", "--results", tmp_path).output.splitlines()[-1]
    assert "~75 s" in line, "3 s for UCB, 7 s for TS, and 5 s for each of three others, times 3 seeds"


def test_run_says_what_there_is_and_of_which_commit(tmp_path: Path) -> None:
    append(tmp_path / "small.jsonl", replace(ends_at(1.0, preset("small").base.by("ucb")), took=3.0))
    command = ("run", "small", "--seeds=1", "--rules=ucb,random", "--workers=1", "--results", tmp_path)
    said = call(*command).output.splitlines()
    assert said[0] == "small: 1 runs to do, about 3 s on 1 core"
    assert said[1] == "small: there are runs of commit 0123456789ab already, which is not the present code"


def test_packing_replaces_what_nobody_knows_the_commit_of(tmp_path: Path) -> None:
    """Runs that say their commit take the place of older ones, of two of the same case the later."""
    path, base = tmp_path / "small.jsonl", preset("small").base
    old = [replace(ends_at(9.0, replace(base, seed=seed)), commit=None, clean=None) for seed in range(3)]
    compressed = gzip.compress("".join(run.to_json() + "\n" for run in old).encode())
    (tmp_path / "small.jsonl.gz").write_bytes(compressed)
    assert "has no run that says which commit made it" in error_of("pack", "small", "--results", tmp_path)
    assert (tmp_path / "small.jsonl.gz").read_bytes() == compressed
    assert [run.made_by for run in stored(tmp_path, "small")] == ["an unknown commit"] * 3
    for seed, regret in ((1, 5.0), (0, 4.0), (1, 3.0)):
        append(path, ends_at(regret, replace(base, seed=seed)))
    assert len(stored(tmp_path, "small")) == 2, "the old ones are left out, not mixed in"
    assert call("pack", "--results", tmp_path).output == f"small: 2 runs in {path}.gz\n"
    assert not path.exists()
    assert [(run.case.seed, run.value[-1]) for run in stored(tmp_path, "small")] == [(0, 4.0), (1, 3.0)]
    again = (tmp_path / "small.jsonl.gz").read_bytes()
    assert call("pack", "small", "--results", tmp_path).exit_code == 0
    assert (tmp_path / "small.jsonl.gz").read_bytes() == again, "the same runs, the same bytes"
    (tmp_path / "aged.toml").write_text('[aged]\nsmall = "old"\n')
    assert "small is named in aged.toml: take it out" in call("pack", "small", "--results", tmp_path).output
