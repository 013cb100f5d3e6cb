"""The report: the committed page is what the committed results say, and a claim is judged as the page says it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from nonstop_bench import designed, records
from nonstop_bench.case import Case
from nonstop_bench.cli import main
from nonstop_bench.presets import PRESETS
from nonstop_bench.records import Record
from nonstop_bench.report import design, model, origins, page, pairs, pdf, queries, tasks, walked, wins
from nonstop_bench.report.design import Contender
from nonstop_bench.report.results import Results, finals, matched
from nonstop_bench.report.verdicts import (
    Measured,
    Verdict,
    above,
    all_above,
    all_within,
    judged,
    tally,
    unrefuted,
    within,
    worded,
)
from nonstop_bench.statistics import Estimate
from nonstop_bench.walk import STEPS
from tests.bench.made import NAN, ends_at, record

ROOT = Path(__file__).parents[2]
ACKLEY = "paper/ackley-10-q8"


@pytest.fixture(scope="module")
def committed() -> tuple[Results, pairs.Pairs]:
    found = Results(ROOT / "benchmarks/results")
    return found, pairs.all_pairs(found)


def test_the_page_is_what_the_results_say(committed: tuple[Results, pairs.Pairs]) -> None:
    assert (ROOT / "docs/paper.md").read_text(encoding="utf-8") == page.page(*committed)


def test_the_statistics_are_what_the_results_say(committed: tuple[Results, pairs.Pairs]) -> None:
    assert (ROOT / "benchmarks/results/paper/statistics.csv").read_text(encoding="utf-8") == pairs.table(committed[1])


def test_no_number_and_no_verdict_is_typed() -> None:
    """Outside of quotations, settings in brackets, names of files and placeholders, the template has no digit; and it
    says what a verdict means in one place only."""
    template = page.TEMPLATE.read_text(encoding="utf-8")
    text = "\n".join(line for line in template.splitlines() if not line.startswith(">"))
    for known in (r"`[^`]*`", r"\]\([^)]*\)", r"\{[^}]*\}", r"\(d = \d+(, q = \d+)?\)"):
        text = re.sub(known, "", text)
    for known in ("5e-4", "A12", "Theorem 1", "CIFAR-10", "SMAC3", "30 s", "the paper has 20 seeds"):
        text = text.replace(known, "")
    assert re.findall(r".*\d.*", text) == []
    said = template.split("## How a verdict is made")
    meaning = said[1].split("\n## ")[0]
    elsewhere = template.replace(meaning, "")
    assert not re.search(r"\*\*(reproduces|does not|cannot|not measured|holds)", elsewhere)


def test_every_placeholder_has_a_value(committed: tuple[Results, pairs.Pairs]) -> None:
    said = page.values(*committed)
    wanted = set(re.findall(r"\{([a-z]+)\.([a-z0-9.]+)\}", page.TEMPLATE.read_text(encoding="utf-8")))
    known = {(claim, key) for claim, values in said.items() for key in values}
    assert wanted <= known
    assert {claim for claim, _ in wanted} == set(page.CLAIMS)
    assert "{" not in page.page(*committed).replace("{…}", "")


def test_without_results_nothing_is_measured(tmp_path: Path) -> None:
    results = Results(tmp_path)
    text = page.page(results, pairs.all_pairs(results))
    verdicts = re.findall(r"^\| \[.*\| (\*\*.*\*\*) \|", text, re.MULTILINE)
    assert set(verdicts) == {"**not measured**"}
    assert len(verdicts) == 20


def test_a_verdict_needs_every_comparison() -> None:
    assert judged([]) is Verdict.ABSENT
    assert judged([1, 1]) is Verdict.REPRODUCES
    assert judged([1, 0]) is Verdict.OPEN
    assert judged([1, 0, -1]) is Verdict.FAILS
    assert (unrefuted([0, 0]), unrefuted([0, -1]), unrefuted([])) == (
        Verdict.REPRODUCES,
        Verdict.FAILS,
        Verdict.ABSENT,
    )
    assert worded(Verdict.OPEN, "20 seeds") == "**cannot be decided with 20 seeds**"
    assert worded(Verdict.FAILS, "20 seeds") == "**does not reproduce**"
    assert tally([1, 1, 0, -1]) == "2 for, 1 against, 1 open"


def test_intervals_decide() -> None:
    assert [above(Estimate(0.0, low, high)) for low, high in ((0.1, 1.0), (-1.0, -0.1), (-1.0, 1.0))] == [1, -1, 0]
    assert [within(Estimate(0.0, low, high), -1.0, 1.0) for low, high in ((-0.5, 0.5), (2.0, 3.0), (0.5, 2.0))] == [
        1,
        -1,
        0,
    ]


def shifted(by: float, seeds: int = 8) -> Measured:
    """Numbers from `by` - 0.7 to `by` + 0.7: of eight around 1, every one is above 0."""
    return Measured.by_median(by + np.linspace(-0.7, 0.7, seeds))


def test_one_of_many_quantities_needs_more_than_its_own_interval() -> None:
    """Eight of eight seeds above the bound: p = 2 / 256 alone, and seven times that in a family of seven."""
    assert shifted(1.0).estimate.low > 0.0
    assert all_above([]) == []
    assert all_above([shifted(1.0), shifted(-1.0), shifted(0.0)]) == [1, -1, 0]
    assert all_above([shifted(1.0), *[shifted(0.0)] * 5]) == [1, *[0] * 5]
    assert all_above([shifted(1.0), *[shifted(0.0)] * 6]) == [0] * 7
    assert all_above([shifted(1.0, seeds=20), *[shifted(0.0)] * 6]) == [1, *[0] * 6]
    assert all_above([shifted(3.0)], bound=4.0) == [-1]


def test_inside_is_decided_at_both_borders_and_outside_at_the_nearer_one() -> None:
    assert all_within([shifted(0.0)], -1.0, 1.0) == [1]
    assert all_within([shifted(2.0)], -1.0, 1.0) == [-1]
    assert all_within([shifted(-2.0)], -1.0, 1.0) == [-1]
    assert all_within([shifted(1.0)], -1.0, 1.0) == [0]
    assert all_within([shifted(0.0), *[shifted(1.0)] * 6], -1.0, 1.0) == [0] * 7  # p = 7 * 2 / 256
    assert all_within([shifted(2.0), *[shifted(1.0)] * 6], -1.0, 1.0) == [0] * 7


def test_the_less_certain_border_counts() -> None:
    """Of twenty seeds, five are below -1: the median is inside, but not with confidence, although all are below 1."""
    seeds = np.array([-1.3] * 5 + [-0.9] * 15)
    assert all_within([Measured.by_median(seeds)], -2.0, 1.0) == [1]
    assert within(Measured.by_median(seeds).estimate, -1.0, 1.0) == 1
    assert all_within([Measured.by_median(seeds)], -1.0, 1.0) == [0]


def store(folder: Path, name: str, runs: Sequence[Record]) -> None:
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    for run in runs:
        records.append(path, run)


def regrets(name: str, by_rule: dict[str, Sequence[float]]) -> list[Record]:
    base = PRESETS[name].base
    return [
        ends_at(float(np.exp(log)), replace(base.by(rule), seed=seed))
        for rule, logs in by_rule.items()
        for seed, log in enumerate(logs)
    ]


def test_a_comparison_is_decided_by_interval_and_holm(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=20)
    runs = regrets(
        ACKLEY,
        {
            "ucb": base.tolist(),
            "ts": (base + 1.0 + 0.1 * rng.random(20)).tolist(),
            "kb-ucb": (base - 1.0 - 0.1 * rng.random(20)).tolist(),
            "aegis": (base + 0.5 * rng.normal(size=20)).tolist(),
        },
    )
    store(tmp_path, ACKLEY, runs)
    found = pairs.all_pairs(Results(tmp_path))
    assert {column: found[ACKLEY, "ucb", column].decided() for column in ("ts", "kb-ucb", "aegis")} == {
        "ts": 1,
        "kb-ucb": -1,
        "aegis": 0,
    }
    pair = found[ACKLEY, "ucb", "ts"]
    assert pair.holm >= pair.found.wilcoxon
    said = wins.tables(Results(tmp_path), found)
    assert said["ackley.verdict"] == "**does not reproduce**"
    assert (said["ackley.ahead"], said["ackley.behind"], said["ackley.open"]) == ("TS", "KB-UCB", "AEGIS")
    assert tasks.standing(found, ACKLEY, "ts", over_tasks=True) == 1
    assert tasks.standing(found, ACKLEY, "kb-ucb", over_tasks=True) == -1
    assert tasks.standing(found, ACKLEY, "lp-ucb", over_tasks=True) is None


def test_too_few_seeds_decide_nothing(tmp_path: Path) -> None:
    """Six of six seeds won: the interval excludes 0, but Holm's p over two such comparisons is above 0.05."""
    logs = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    others = {rule: [log + 1.0 for log in logs] for rule in ("ts", "kb-ucb")}
    store(tmp_path, ACKLEY, regrets(ACKLEY, {"ucb": logs, **others}))
    pair = pairs.all_pairs(Results(tmp_path))[ACKLEY, "ucb", "ts"]
    assert pair.found.difference.excludes(0.0)
    assert pair.found.wilcoxon == pytest.approx(2 / 64)
    assert pair.decided() == 0


def test_only_seeds_that_both_have_are_compared() -> None:
    a, b = matched({0: 1.0, 1: 2.0, 5: 3.0}, {5: 30.0, 0: 10.0})
    assert (a.tolist(), b.tolist()) == ([1.0, 3.0], [10.0, 30.0])
    run = ends_at(np.e, Case("branin", q=2, horizon=10.0))
    assert finals([run]) == {0: pytest.approx(1.0)}


def queried(name: str, seed: int, rule: str, delta: Sequence[float], repeated: Sequence[float] | None = None) -> Record:
    """A run whose last queries are at these distances; before them are an initial trial and those of the workers."""
    case = replace(PRESETS[name].base.by(rule), seed=seed)
    before = [NAN] * (1 + case.q)
    made = record(case, finished=[0.0] * (len(before) + len(delta)), value=1.0, delta=[*before, *delta])
    return made if repeated is None else replace(made, repeated=np.array([0.0] * len(before) + list(repeated)))


def test_repeated_queries_are_counted_without_the_guard(tmp_path: Path) -> None:
    name, bare = ACKLEY, ACKLEY + queries.UNGUARDED
    store(tmp_path, name, [queried(name, s, "ucb", [0.5, 0.0005, 0.2, 0.3], repeated=[0, 2, 0, 0]) for s in range(6)])
    store(tmp_path, bare, [queried(bare, s, "ucb", [0.5, 0.0, 0.2, 0.3]) for s in range(6)])
    said = queries.repeats(Results(tmp_path), {})
    row = next(line for line in said["table"].splitlines() if "ackley-10-q8 | UCB" in line)
    assert row.split(" | ")[2:5] == ["25.0 % [25.0, 25.0]"] * 3
    assert said["at.verdict"] == "**does not reproduce**"
    assert said["at.tally"] == "0 for, 1 against, 0 open"


def test_a_rule_that_keeps_away_repeats_nothing(tmp_path: Path) -> None:
    bare = ACKLEY + queries.UNGUARDED
    store(tmp_path, ACKLEY, [queried(ACKLEY, s, "logei", [0.5, 0.4, 0.2, 0.3]) for s in range(6)])
    store(tmp_path, bare, [queried(bare, s, "logei", [0.5, 0.1, 0.2, 0.3]) for s in range(6)])
    said = queries.repeats(Results(tmp_path), {})
    assert said["at.verdict"] == said["close.verdict"] == "**reproduces**"


def test_distances_that_fall_and_that_are_alike(tmp_path: Path) -> None:
    alone = "paper/ackley-10-sequential"
    deltas = [0.9, 0.9, 0.3, 0.3, 0.1, 0.1]
    store(tmp_path, ACKLEY, [queried(ACKLEY, s, "ucb", deltas) for s in range(6)])
    case = PRESETS[alone].base
    sequential = [
        record(replace(case, seed=s), finished=[0.0] * 8, value=1.0, recent=[NAN, NAN, *deltas]) for s in range(6)
    ]
    store(tmp_path, alone, sequential)
    results = Results(tmp_path)
    fall = queries.transition(results, {})
    assert fall["verdict"] == "**reproduces**"
    assert "| ackley-10-q8 | UCB | 9 [9, 9] |" in fall["table"]
    assert queries.sequential(results, {})["verdict"] == "**reproduces**"


def test_lengthscales_that_fall_by_two_decades(tmp_path: Path) -> None:
    def run(rule: str, seed: int, last: float) -> Record:
        case = replace(PRESETS[ACKLEY].base.by(rule), seed=seed)
        scales = [NAN] * 9 + [1.0] * 5 + [last] * 40
        return record(case, finished=[0.0] * 54, value=1.0, lengthscale=scales, change=scales)

    store(tmp_path, ACKLEY, [run(rule, s, 0.01) for rule in ("ucb", "logei") for s in range(6)])
    said = model.lengthscales(Results(tmp_path), {})
    assert said["verdict"] == said["calm"] == "**cannot be decided with 6 seeds**"  # two rules: p = 2 * 2 / 64
    store(tmp_path, ACKLEY, [run(rule, 6, 0.01) for rule in ("ucb", "logei")])
    said = model.lengthscales(Results(tmp_path), {})
    assert said["verdict"] == said["calm"] == "**reproduces**"
    assert "| UCB | 2.00 [2.00, 2.00] |" in said["table"]
    assert (said["walked"], said["released"]) == ("(not measured)", "**not measured**")


def test_lengthscales_on_the_walk(tmp_path: Path) -> None:
    """Half a decade without a switch, two with all of them; a step that was not run is not there."""
    last = f"walk/ackley-10-q8/{STEPS[-1].name}"
    for name, end in ((ACKLEY + queries.UNGUARDED, 10**-0.5), (last, 0.01)):
        for rule in ("ucb", "logei"):
            cases = [replace(PRESETS[name].base.by(rule), seed=seed) for seed in range(8)]
            scales = [NAN] * 9 + [1.0] * 5 + [end] * 40
            store(tmp_path, name, [record(c, finished=[0.0] * 54, value=1.0, lengthscale=scales) for c in cases])
    said = model.lengthscales(Results(tmp_path), {})
    assert said["released"] == "**reproduces**"
    assert [line.split(" | ")[0].strip("| ") for line in said["walked"].splitlines()[2:]] == ["as-text", "as-published"]
    assert "| as-text | 0.50 [0.50, 0.50] | 0.50 [0.50, 0.50] |" in said["walked"]


def test_the_price_of_others_is_a_mix_of_two_experiments(tmp_path: Path) -> None:
    store(tmp_path, ACKLEY, regrets(ACKLEY, {"ucb": [1.0, 1.0], "ts": [0.5, 0.5]}))
    priced = f"{ACKLEY}-overhead"
    store(tmp_path, priced, regrets(priced, {"ucb": [3.0, 3.0], "ts": [2.0, 2.0]}))
    found = pairs.all_pairs(Results(tmp_path))
    assert found[priced, "ucb", "ts"].found.wins == 0
    assert found[ACKLEY + pairs.UNEQUAL, "ucb", "ts"].found.wins == 2


def designed_run(case: Case, log: float) -> Record:
    """A run whose regret is the same after every evaluation."""
    count = 1 + designed.EVALUATIONS
    return record(case, finished=[0.0] * count, value=[float(np.exp(log))] * count)


def test_effects_of_the_designed_experiment(tmp_path: Path) -> None:
    """Believing gains 1 where there are many workers and 0.2 everywhere; noise from the seed cancels in pairs."""
    runs = []
    for cell in designed.CELLS:
        for seed in range(6):
            start = 0.1 * seed - 2.0
            gain = 0.2 + 1.0 * designed.levels_of(cell)[3]
            runs.append(designed_run(replace(cell.by("ucb"), seed=seed), start))
            runs.append(designed_run(replace(cell.by("kb-ucb"), seed=seed), start - gain))
    store(tmp_path, designed.NAME, runs)
    found = design.differences(Results(tmp_path), Contender("ucb"), Contender("kb-ucb"))
    assert found is not None
    assert found.overall().value == pytest.approx(0.7)
    assert [round(found.effect(i).value, 6) for i in range(6)] == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert (found.where(3, False).value, found.where(3, True).value) == pytest.approx((0.2, 1.2))
    said = design.experiment(Results(tmp_path), {})
    (said_of_ucb,) = said["thumb"].splitlines()
    assert said_of_ucb.startswith("- KB-UCB against UCB: better over all cells. Decided better with optimum inside, ")
    assert said_of_ucb.endswith("; decided worse with none. Factors whose effect is decided: workers.")
    assert said["seeds"] == "6 seeds"
    assert design.differences(Results(tmp_path), Contender("logei"), Contender("kb-logei")) is None


def test_how_often_the_guard_acted_in_the_designed_experiment(tmp_path: Path) -> None:
    """In every second ask where the optimum is in a vertex."""
    runs = []
    for cell in designed.CELLS:
        for rule in designed.PLAIN:
            run = designed_run(cell.by(rule), -1.0)
            vertex = float(designed.levels_of(cell)[0])
            column = np.where(np.arange(len(run.value)) % 2 == 1, vertex, 0.0)
            runs.append(replace(run, repeated=column))
    store(tmp_path, designed.NAME, runs)
    lines = design.experiment(Results(tmp_path), {})["firings"].splitlines()
    assert lines[2].startswith("| optimum | inside | 0.0 % [0.0, 0.0] | 0.0 %")
    assert re.match(r"\| optimum \| vertex \| (49|50|51)\.\d % \[", lines[3])


def test_a_design_with_a_missing_cell_is_not_analysed(tmp_path: Path) -> None:
    runs = [designed_run(cell.by(rule), -1.0) for cell in designed.CELLS[1:] for rule in ("ucb", "kb-ucb")]
    store(tmp_path, designed.NAME, runs)
    assert design.differences(Results(tmp_path), Contender("ucb"), Contender("kb-ucb")) is None


def test_small_regrets_count_as_a_thousandth() -> None:
    run = designed_run(designed.CELLS[0], -30.0)
    assert design.response(run) == pytest.approx(np.log(1e-3))


def test_the_walk_takes_the_last_runs_of_a_rule(tmp_path: Path) -> None:
    """A step runs the rules that it changes; the others are those of the steps before."""
    first, second, *_, last = (f"walk/ackley-10-q8/{step.name}" for step in STEPS)
    plain = "paper/ackley-10-q8-unguarded"
    store(tmp_path, plain, regrets(plain, {"ucb": [0.0] * 6}))
    store(tmp_path, first, regrets(first, {"ts": [1.0] * 6, "lp-ucb": [1.0] * 6}))
    store(tmp_path, second, regrets(second, {"lp-ucb": [-1.0] * 6}))
    results = Results(tmp_path)
    table = walked.walk(results, {})["ackley.ucb"].splitlines()
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:4] for line in table[2:]}
    assert rows["as-text"] == ["–", "1.00", "1.00"]
    assert rows[second.rpartition("/")[2]] == ["–", "1.00", "0.00"]
    agreement, off = table[-1].split(" | ")[-2:]
    assert agreement == "1 of 2"
    assert float(off.strip("| ")) == pytest.approx((0.0 + 0.95) / 2, abs=0.006), "the paper has 1.00 and 0.95"
    assert walked.walk(results, {})["verdict"] == "**not measured**", "the last step was not run"
    store(tmp_path, last, regrets(last, {"ucb": [0.0] * 6, "ts": [1.0] * 6, "lp-ucb": [-1.0] * 6}))
    assert walked.walk(Results(tmp_path), {})["tally"] == "1 for, 1 against, 0 open"


def test_what_each_switch_changes_is_marked_where_it_is_decided(tmp_path: Path) -> None:
    """Ten seeds that all fall by one are a decided fall; of a rule that a step leaves alone the cell is empty."""
    first, clamp, steep = (f"walk/ackley-10-q8/{name}" for name in ("as-text", "clamp", "steep"))
    logs = np.linspace(0.0, 0.9, 10)
    store(tmp_path, first, regrets(first, {"ts": logs.tolist(), "lp-ucb": logs.tolist(), "llp-ucb": logs.tolist()}))
    store(tmp_path, clamp, regrets(clamp, {"lp-ucb": (logs - 1.0).tolist(), "llp-ucb": (logs + 2.0).tolist()}))
    mixed = np.where(np.arange(10) % 2, logs + 0.1, logs - 2.1)
    store(tmp_path, steep, regrets(steep, {"lp-ucb": mixed.tolist()}))
    table = walked.walk(Results(tmp_path), {})["ackley.changes"].splitlines()
    assert "random" in table[0]
    place = [cell.strip() for cell in table[0].split("|")].index("LP-UCB")
    cells = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")] for line in table[2:]}
    assert [cells[step][place] for step in ("as-text", "clamp", "steep")] == ["0.45", "-0.55 ↓", "-0.55"]
    assert [cells[step][place + 1] for step in ("as-text", "clamp", "steep")] == ["0.45", "2.45 ↑", ""]
    assert list(cells) == ["as-text", "clamp", "steep"]


def test_results_of_an_older_code_are_named_with_the_reason(tmp_path: Path) -> None:
    for name in ("paper/hartmann-6-q4", "paper/hartmann-6-q8"):
        store(tmp_path, name, regrets(name, {"ucb": [0.0, 1.0]}))
    (tmp_path / "aged.toml").write_text('[aged]\n"paper/hartmann-6-q4" = "the prior has changed"\n"other" = "why"\n')
    said = origins.origins(Results(tmp_path), {})
    assert said["aged"] == "1 of 2"
    assert said["table"].count("the prior has changed") == 1


def test_an_experiment_that_was_stopped_gives_no_error(tmp_path: Path) -> None:
    """Every experiment has begun, with one seed for one rule and another seed for the next."""
    names = [name for name in PRESETS if name.startswith(("paper/", "walk/", "designed"))]
    for name in names:
        rules = PRESETS[name].rules[:4]
        cases = [replace(PRESETS[name].base.by(rule), seed=seed) for seed, rule in enumerate(rules)]
        store(tmp_path, name, [designed_run(case, -1.0) for case in cases])
    results = Results(tmp_path)
    text = page.page(results, pairs.all_pairs(results))
    assert "nan" not in text.replace("dominant", "")
    assert "inf" not in re.sub(r"information|infinite|inform", "", text)


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_FIGURES", ("lengthscales",))
    rng = np.random.default_rng(1)
    store(tmp_path, ACKLEY, regrets(ACKLEY, {rule: rng.normal(size=6).tolist() for rule in ("ucb", "logei", "ts")}))
    target, file = tmp_path / "page.md", tmp_path / "report.pdf"
    options = ["--results", tmp_path, "--page", target, "--pictures", tmp_path, "--pdf", file]
    first = CliRunner().invoke(main, ["report", *map(str, options)])
    assert first.exit_code == 0, first.output
    assert "# The paper's claims, measured" in target.read_text(encoding="utf-8")
    printed = CliRunner().invoke(main, ["statistics", "--results", str(tmp_path)]).stdout
    assert printed == (tmp_path / "paper/statistics.csv").read_text(encoding="utf-8")
    assert printed.splitlines()[1].startswith("paper/ackley-10-q8,ucb,logei,6,")
    assert all((tmp_path / f"paper-{name}.svg").exists() for name in ("differences", "near", "designed"))
    assert file.read_bytes().startswith(b"%PDF")
    again = pdf.write(Results(tmp_path), tmp_path / "again.pdf")
    assert again.read_bytes() == file.read_bytes(), "the same results, the same bytes"
