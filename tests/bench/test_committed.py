"""The committed tables are what the committed results say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from nonstop_bench import tables
from nonstop_bench.case import OURS
from nonstop_bench.cli import main
from nonstop_bench.contest import at_equal_evaluations
from nonstop_bench.records import Record, stored

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


def test_the_table_of_the_arena_comes_from_the_results() -> None:
    parts = ["held-out", "held-out-noise", "held-out-sparse"]
    printed = CliRunner().invoke(main, ["arena", *parts, "--only-table", "--results", str(RESULTS)])
    assert (RESULTS / "arena/held-out.md").read_text(encoding="utf-8") == printed.stdout


def test_the_decision_shows_the_tables_of_the_arena() -> None:
    """Overall, and by kind of task, as they are in the page of the results."""
    page = Path("docs/decisions/0014-the-default.md").read_text(encoding="utf-8")
    shown = page.split("<!-- arena -->")[1].split("<!-- /arena -->")[0].strip().split("\n\n")
    made = (RESULTS / "arena/held-out.md").read_text(encoding="utf-8").split("\n\n")
    assert shown == [made[2], made[4]]
    assert shown[0].startswith("|  | mean rank, equal evaluations |")
    assert shown[1].startswith("|  | bbob |")


def test_the_readme_says_how_the_present_default_does_on_the_pairs_of_the_peers() -> None:
    """Its runs are in the arena, those of the others in the table of the peers."""
    present = {_pair(run): run for run in stored(RESULTS, "arena/held-out") if run.case.label == OURS}
    others: dict[str, list[bool]] = {}
    for run in stored(RESULTS, "peers/held-out"):
        if run.case.label != OURS:
            won = at_equal_evaluations(present[_pair(run)]) < at_equal_evaluations(run)
            others.setdefault(run.case.label, []).append(won)
    assert {len(won) for won in others.values()} == {90}
    least = min(sum(won) / len(won) for won in others.values())
    text = " ".join(Path("README.md").read_text(encoding="utf-8").split())
    assert f"ends lower than each of these in {least:.2f} of them or more" in text


def _pair(run: Record) -> tuple[str, int]:
    return run.case.problem, run.case.seed


@pytest.mark.parametrize("page", ["README.md", "docs/decisions/0014-the-default.md"])
def test_the_pages_say_what_the_table_of_the_peers_says(page: str) -> None:
    """Ranks and won pairs at equal evaluations, in the order of the table."""
    table = (RESULTS / "peers/table.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\| [\w-]+ \| (\d\.\d\d) \| ([–\d.]+) \| \d", table, re.MULTILINE)
    assert len(numbers) == 8
    said = re.findall(
        r"^\| [^|]+ \| (\d\.\d\d) \| ([–\d.]+) \| [–\d]", Path(page).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert said == numbers
