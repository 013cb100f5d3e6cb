"""The committed tables are what the committed results say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

from nonstop_bench import tables
from nonstop_bench.case import OURS
from nonstop_bench.cli import main

ROOT = Path(__file__).parents[2]
RESULTS = Path("benchmarks/results")  # as the command that made the tables names it


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_tables_of_the_paper_come_from_the_results() -> None:
    assert (RESULTS / "paper/tables.md").read_text(encoding="utf-8") == tables.document(RESULTS)


def test_the_tables_of_the_choice_come_from_the_results() -> None:
    names = [f"choosing/{name}" for name in ("q8", "q4", "q16", "pareto", "faster")]
    printed = CliRunner().invoke(main, ["table", *names, "--results", str(RESULTS)])
    assert (RESULTS / "choosing/tables.md").read_text(encoding="utf-8") == printed.stdout


def test_the_table_of_the_peers_comes_from_the_results() -> None:
    printed = CliRunner().invoke(main, ["peers", "--only-table", "--results", str(RESULTS)])
    assert (RESULTS / "peers/table.md").read_text(encoding="utf-8") == printed.stdout


@pytest.mark.parametrize(
    ("page", "asked"),
    [
        ("held-out", ["held-out", "held-out-noise", "held-out-sparse"]),
        ("formulas", ["held-out", "--tasks", "formulas"]),
        ("choosing-noise", ["choosing-noise"]),
    ],
)
def test_the_tables_of_the_arena_come_from_the_results(page: str, asked: list[str]) -> None:
    printed = CliRunner().invoke(main, ["arena", *asked, "--only-table", "--results", str(RESULTS)])
    assert (RESULTS / f"arena/{page}.md").read_text(encoding="utf-8") == printed.stdout


def test_the_decision_shows_the_tables_of_the_arena() -> None:
    """Overall, and by kind of task, as they are in the page of the results."""
    page = Path("docs/decisions/0014-the-default.md").read_text(encoding="utf-8")
    shown = page.split("<!-- arena -->")[1].split("<!-- /arena -->")[0].strip().split("\n\n")
    made = (RESULTS / "arena/held-out.md").read_text(encoding="utf-8").split("\n\n")
    assert shown == [made[2], made[4]]
    assert shown[0].startswith("|  | mean rank, equal evaluations |")
    assert shown[1].startswith("|  | bbob |")


#: How the README calls the contenders of the arena.
NAMES = {
    OURS: "**nonstop, the default**",
    "botorch": "BoTorch qLogEI",
    "ax": "Ax",
    "hebo-batch": "HEBO",
    "optuna-tpe": "Optuna TPE",
    "optuna-gp": "Optuna GPSampler",
    "smac-rf": "SMAC3",
    "random": "random search",
}


def test_the_readme_shows_the_contest_on_the_formulas() -> None:
    """All contenders have all pairs, and its ranks and shares are those of the page of the results."""
    page = (RESULTS / "arena/formulas.md").read_text(encoding="utf-8")
    assert "90 pairs, of which all 8 contenders ran 90." in page
    cell = r"(?:(\d\.\d\d) \([^)]+\) of 90|–)"
    found = re.findall(
        rf"^\| ([\w-]+) \| (\d\.\d\d) ± \d\.\d\d \| {cell} \| \d\.\d\d ± \d\.\d\d \| {cell} \|", page, re.MULTILINE
    )
    assert sorted(name for name, *_ in found) == sorted(NAMES)
    rows = [f"| {NAMES[name]} | {rank} | {even or '–'} | {timed or '–'} |" for name, rank, even, timed in found]
    shown = Path("README.md").read_text(encoding="utf-8").split("<!-- contest -->")[1].split("<!-- /contest -->")[0]
    assert shown.split("---:|\n")[1].splitlines() == rows


def test_the_readme_shows_times_of_suggestions_that_were_measured() -> None:
    """Milliseconds from scratch in three sizes, speed-ups, memory, and the default with known hyperparameters."""
    page = (RESULTS / "suggest.md").read_text(encoding="utf-8")
    scratch, warm, weight = (
        _rows(page.split(f"## {title}")[1].split("\n## ")[0]) for title in ("From", "Warm", "Weight")
    )
    shown = Path("README.md").read_text(encoding="utf-8").split("<!-- bench -->")[1].split("<!-- /bench -->")[0]
    timed = {tuple(row[:2]): [float(cell) for cell in row[2:7]] for row in scratch if row[0].isdecimal()}
    for d, n in (("6", "60"), ("10", "270"), ("50", "300")):
        ucb, _, default, botorch, optuna = timed[d, n]
        assert f"| {d}, {n} | {ucb:.0f} | {default:.0f} | {botorch:,.0f} | {optuna:.0f} |" in shown
    botorch_by, optuna_by = (cell.strip("*") for cell in next(row[-2:] for row in scratch if "geometric mean" in row))
    assert f"| geometric mean of nine sizes | 1 | – | {botorch_by} x | {optuna_by} x |" in shown
    resident = {row[0]: row[2] for row in weight}
    ours, theirs, optunas = (resident[who] for who in ("nonstop", "BoTorch", "Optuna"))
    assert f"| memory after a suggestion | {ours} MB | – | {theirs} MB | {optunas} MB |" in shown
    known = [float(row[4]) for row in warm if row[0].isdecimal()]
    assert f"the default takes {min(known):.0f} to {max(known):.0f} ms in all nine sizes" in " ".join(shown.split())


def test_the_page_of_configurations_comes_from_its_results() -> None:
    script = runpy.run_path("benchmarks/configurations.py")
    assert (RESULTS / "configurations.md").read_text(encoding="utf-8") == script["page"](script["read"]())


def _rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text."""
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_decision_says_what_the_table_of_the_peers_says() -> None:
    """Ranks and won pairs at equal evaluations, in the order of the table."""
    table = (RESULTS / "peers/table.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\| [\w-]+ \| (\d\.\d\d) \| ([–\d.]+) \| \d", table, re.MULTILINE)
    assert len(numbers) == 8
    page = Path("docs/decisions/0014-the-default.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| [^|]+ \| (\d\.\d\d) \| ([–\d.]+) \| [–\d]", page, re.MULTILINE)
    assert said == numbers
