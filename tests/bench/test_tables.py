"""Records become Markdown, the paper's numbers beside ours."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from nonstop_bench import score, tables
from nonstop_bench.case import Case
from nonstop_bench.presets import PRESETS, preset
from nonstop_bench.published import PUBLISHED
from nonstop_bench.records import Record, append
from tests.bench.made import ends_at

#: Regrets e^-3 and so on: their logarithms are the numbers here.
LOGS: dict[str, tuple[float, ...]] = {"ucb": (-3.0, -1.0, -2.0), "logei": (-1.0, -2.0, -2.0), "ts": (0.0, 1.0, 2.0)}


def runs(name: str, logs: dict[str, tuple[float, ...]] = LOGS) -> list[Record]:
    base = preset(name).base
    return [
        ends_at(math.exp(log), replace(base, rule=rule, seed=seed))
        for rule, per_seed in logs.items()
        for seed, log in enumerate(per_seed)
    ]


def test_some_numbers_that_the_paper_prints() -> None:
    ackley, michalewicz = PUBLISHED["paper/ackley-10-q8"], PUBLISHED["paper/michalewicz-5-q16"]
    assert ackley.win_rate["ucb", "logei"] == 0.85
    assert ackley.win_rate["ucb", "e-logei"] == 0.9
    assert ackley.win_rate["logei", "ts"] == 0.9
    assert ackley.win_rate["logei", "e-logei"] == 0.4
    assert ackley.mann_whitney["ucb", "kb-ucb"] == 2.07e-2
    assert ackley.mann_whitney["logei", "aegis"] == 5.98e-1
    assert michalewicz.win_rate["ucb", "kb-ucb"] == 0.55
    assert michalewicz.win_rate["logei", "kb-ucb"] == 0.2
    assert michalewicz.mann_whitney["ucb", "e-logei"] == 2.75e-4
    assert michalewicz.mann_whitney["logei", "llp-ucb"] == 4.60e-4


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_cell_is_of_rules_that_we_run(name: str) -> None:
    published, rules = PUBLISHED[name], set(preset(name).rules)
    assert len(published.win_rate) == 8 + 7
    assert len(published.mann_whitney) == 7 + 6
    for cells in (published.win_rate, published.mann_whitney):
        assert {rule for pair in cells for rule in pair} <= rules
        assert all(0.0 <= number <= 1.0 for number in cells.values())
    assert not [pair for pair in published.mann_whitney if "lp-ucb" in pair]


def test_a_summary_has_the_lowest_median_first() -> None:
    assert tables.summary(runs("small")).splitlines() == [
        "| rule | log regret, median | quartiles | better than ucb | evaluations | suggestion, ms | evaluating |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| logei | -2.00 | -2.00 to -1.50 | 0.50 | 2 | – | 15 % |",
        "| ucb | -2.00 | -2.50 to -1.50 | – | 2 | – | 15 % |",
        "| ts | 1.00 | 0.50 to 1.50 | 0.00 | 2 | – | 15 % |",
    ]
    assert tables.summary(runs("small")) == tables.summary(runs("small")[::-1]), "whatever the order in the file"


def test_suggestions_are_said_in_milliseconds() -> None:
    run = ends_at(1.0, Case("branin", rule="ts", q=1, horizon=4.0), seconds=0.0234)
    assert tables.summary([run]).splitlines()[-1] == "| ts | 0.00 | 0.00 to 0.00 | – | 2 | 23.4 | 75 % |"
    assert tables.milliseconds([math.nan, 0.001, 0.002, 0.009]) == "2.0"


def test_a_report_says_the_setting() -> None:
    text = tables.report(preset("small"), runs("small"))
    assert text.startswith(
        "## small\n\nBranin in seconds, to see how things work. branin, asynchronous, q = 4, 5 s, 3 seeds, "
        "1 initial points, suggestion overhead 0 s. Made by commit 0123456789ab.\n\n| rule |"
    )
    assert "Mann" not in text
    assert "1 seed, " in tables.report(preset("small"), runs("small", {"ucb": (1.0,)}))
    both = replace(preset("small"), base=Case("branin", horizon=5.0, evaluations=9, overhead="measured"))
    assert "q = 8, 5 s, 9 evaluations, 3 seeds, 1 initial points, suggestion overhead measured." in tables.report(
        both, runs("small")
    )


@pytest.mark.parametrize("name", ["paper/ackley-10-q8", "paper/ackley-10-q8-overhead"])
def test_the_papers_tables_have_its_numbers_in_brackets(name: str) -> None:
    lines = tables.report(preset(name), runs(name)).splitlines()
    first = lines.index("|  | logei | ts | lp-ucb | llp-ucb | aegis | kb-logei | kb-ucb | e-logei |")
    assert lines[first + 2 : first + 4] == [
        "| ucb | 0.50 (0.85) | 1.00 (1.00) | – | – | – | – | – | – |",
        "| logei | – | 1.00 (0.90) | – | – | – | – | – | – |",
    ]
    second = lines.index("|  | logei | ts | llp-ucb | aegis | kb-logei | kb-ucb | e-logei |")
    tied = score.mann_whitney(LOGS["ucb"], LOGS["logei"])
    assert lines[second + 2 : second + 4] == [
        f"| ucb | {tied:.1e} (1.8e-04) | 1.0e-01 (1.1e-07) | – | – | – | – | – |",  # 2 of 20 orders
        f"| logei | – | {score.mann_whitney(LOGS['logei'], LOGS['ts']):.1e} (1.4e-04) | – | – | – | – | – |",
    ]


def test_a_table_says_which_commit_made_its_runs() -> None:
    made = runs("small")
    assert "overhead 0 s. Made by commit 0123456789ab.\n" in tables.report(preset("small"), made)
    old = [replace(made[0], commit=None), replace(made[1], clean=False), *made[2:]]
    text = tables.report(preset("small"), old)
    assert f"Made by commit 0123456789ab ({len(made) - 2} runs), an unknown commit (1 runs), commit " in text
    unguarded = preset("paper/hartmann-6-q4-unguarded")
    assert "overhead 0 s, busy points not replaced. Made by" in tables.report(unguarded, runs(unguarded.name))


def test_a_price_that_only_the_other_rules_pay() -> None:
    """ucb is best when all are free, ts when all pay; with the price on ts alone, the free ucb meets the priced ts."""
    free, priced = preset("paper/ackley-10-q8"), preset("paper/ackley-10-q8-overhead")
    without = [ends_at(1.0, free.base), ends_at(2.0, replace(free.base, rule="ts"))]
    paying = [ends_at(9.0, priced.base), ends_at(4.0, replace(priced.base, rule="ts"))]
    assert "only the other rules pay" not in tables.report(priced, paying)
    equal, unequal = tables.report(priced, paying, without).split("only the other rules pay")
    assert "| ucb | – | 0.00 (1.00) |" in equal
    assert "| ucb | – | 1.00 (1.00) |" in unequal


def test_rules_without_a_common_seed_are_not_compared() -> None:
    base = preset("paper/ackley-10-q8").base
    apart = [ends_at(1.0, base), ends_at(1.0, replace(base, rule="logei", seed=1))]
    text = tables.report(preset("paper/ackley-10-q8"), apart)
    assert "| ucb | – | – |" in text
    assert "| logei | 0.00 | 0.00 to 0.00 | – |" in text


def test_results_that_are_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no results of small in .*: run it first"):
        tables.stored(tmp_path, "small")
    (tmp_path / "small.jsonl").write_text('{"problem": "bran')
    with pytest.raises(FileNotFoundError, match="no results of small"):
        tables.stored(tmp_path, "small")
    with pytest.raises(FileNotFoundError, match="of any experiment of the paper"):
        tables.document(tmp_path)


def test_the_document_has_every_experiment_of_the_paper_that_was_run(tmp_path: Path) -> None:
    (tmp_path / "paper").mkdir()
    for name in ("paper/michalewicz-5-q16", "paper/ackley-10-q8", "small"):
        for run in runs(name):
            append(tmp_path / f"{name}.jsonl", run)
    text = tables.document(tmp_path)
    assert text.splitlines()[0] == f"<!-- nonstop-bench table --all --results {tmp_path} -->"
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## paper/ackley-10-q8",
        "## paper/michalewicz-5-q16",
    ]
    assert text.endswith("|\n")
    assert tables.report(preset("paper/ackley-10-q8"), runs("paper/ackley-10-q8")) in text


def test_presets_are_run_seed_by_seed() -> None:
    cases = preset("small").cases(2, ["random", "ucb"])
    assert [(case.seed, case.rule) for case in cases] == [(0, "ucb"), (0, "random"), (1, "ucb"), (1, "random")]
    once = (each for name, each in PRESETS.items() if name != "choosing/faster")  # which looks at the default again
    everything = [case for each in once for case in each.cases()]
    assert len(set(everything)) == len(everything), "no two experiments share a run"
    peers = preset("peers/held-out").cases(1)
    assert {case.label for case in peers} >= {"nonstop", "smac-rf", "botorch-ucb", "random"}
    assert len(peers) == 9 * 8, "nine tasks by eight contenders"
    with pytest.raises(ValueError, match="small has no smac, tpe, only ucb, logei, kb-ucb, ts, random"):
        preset("small").cases(1, ["ucb", "tpe", "smac"])
    with pytest.raises(ValueError, match=r"no experiment 'smal': did you mean small\?"):
        preset("smal")
