"""Studies with several outcomes in a real browser: the list, the page, every figure, the table, and the report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import nonstop
from nonstop.cli.report import write_report
from nonstop.dashboard.figures import figure_kinds
from tests.dashboard.conftest import EXPECTED
from tests.dashboard.gallery import PHONE, WIDE, draw_all, problems
from tests.dashboard.outcomes import MEMORY, fill
from tests.dashboard.serving import Served, served

SEVERAL, CONSTRAINED, HOPELESS = 1, 2, 3


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('outcomes') / 'runs.db'}"
    fill(url)
    return url


@pytest.fixture(scope="module")
def board(storage: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(storage, tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def tab(browser: Browser, board: Served) -> Iterator[Page]:
    """A page on the dashboard; errors of scripts and of the console fail the test."""
    context = browser.new_context(base_url=board.address, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert [text for text in wrong if not text.startswith(EXPECTED)] == []


def front_of(storage: str) -> list[nonstop.Trial]:
    return list(nonstop.load_study(storage, "several").best_trials)


def test_the_list_says_how_large_the_front_is(tab: Page, storage: str) -> None:
    tab.goto("/")
    best = {name: tab.locator(".study").filter(has_text=name).locator("output") for name in ("several", "hopeless")}
    expect(best["several"]).to_have_text(f"front of {len(front_of(storage))}")
    expect(best["hopeless"]).to_have_text("none feasible")
    expect(tab.locator(".study").filter(has_text="several")).to_contain_text(
        f"minimize error, minimize latency, subject to {MEMORY} <= 8.0"
    )
    value = nonstop.load_study(storage, "constrained").best_value
    expect(tab.locator(".study").filter(has_text="constrained").locator("output")).to_have_text(f"{value:.6g}")


def test_the_first_look_shows_the_front_and_how_much_is_feasible(tab: Page, storage: str) -> None:
    tab.goto(f"/studies/{SEVERAL}")
    front = front_of(storage)
    errors = [trial.outcomes["error"] for trial in front]
    expect(tab.locator("#best-label")).to_have_text("Pareto front")
    expect(tab.locator("#best")).to_have_text(f"{len(front)} trials")
    expect(tab.locator("#best-params")).to_contain_text(f"{min(errors):.6g} to {max(errors):.6g}")
    expect(tab.locator("#feasible")).to_have_text(re.compile(r"\d+ feasible \(\d+\.\d %\)"))
    tab.goto(f"/studies/{CONSTRAINED}")
    expect(tab.locator("#best-label")).to_have_text("Lowest feasible error")
    expect(tab.locator("#best-params")).to_contain_text(MEMORY)
    tab.goto(f"/studies/{HOPELESS}")
    expect(tab.locator("#best")).to_have_text("none feasible")
    expect(tab.locator("#best-when")).to_contain_text("least violated by trial")


@pytest.mark.parametrize("study", [SEVERAL, CONSTRAINED, HOPELESS])
def test_every_figure_is_drawn_under_the_security_policy(tab: Page, storage: str, study: int) -> None:
    tab.goto(f"/studies/{study}")
    name = ["several", "constrained", "hopeless"][study - 1]
    kinds = figure_kinds(nonstop.load_study(storage, name).spec.goals)
    expect(tab.locator("[data-figure]")).to_have_count(len(kinds))
    for name, kind in kinds.items():
        figure = tab.locator(f"[data-figure={name}]")
        figure.scroll_into_view_if_needed()
        expect(figure.get_by_role("heading")).to_have_text(kind.title)
        figure.locator(".main-svg").first.wait_for()
    assert ("front" in kinds) == (study != CONSTRAINED)
    assert "constraints" in kinds


def test_a_choice_of_the_outcome_changes_the_figures_of_one_outcome(tab: Page) -> None:
    tab.goto(f"/studies/{SEVERAL}")
    slices, parallel = (tab.locator(f"[data-figure={name}] .finding") for name in ("slices", "parallel"))
    slices.scroll_into_view_if_needed()
    expect(slices).to_contain_text("The model of error")
    assert tab.locator("#outcome option").all_inner_texts() == ["error", "latency", MEMORY]
    tab.locator("#outcome").select_option(MEMORY)
    expect(slices).to_contain_text(f"The model of {MEMORY}")
    parallel.scroll_into_view_if_needed()
    expect(parallel).to_contain_text(f"by {MEMORY}")


def test_the_table_has_outcomes_feasibility_and_the_front(tab: Page, storage: str) -> None:
    tab.goto(f"/studies/{SEVERAL}")
    expect(tab.locator("#columns th").first).to_be_visible()
    heads = [text.strip("↑↓ ") for text in tab.locator("#columns th").all_inner_texts()]
    assert heads[:7] == ["Trial", "State", "error", "latency", MEMORY, "Feasible", "Front"]
    tab.locator("#filter").fill("front=yes feasible=yes")
    expect(tab.locator("#rows tr")).to_have_count(len(front_of(storage)))
    shown = {int(text) for text in tab.locator("#rows td:first-child").all_inner_texts()}
    assert shown == {trial.number for trial in front_of(storage)}
    tab.locator("#filter").fill("error<0.2 feasible=no")
    errors = [float(text) for text in tab.locator("#rows td:nth-child(3)").all_inner_texts()]
    assert errors
    assert max(errors) < 0.2
    tab.locator("#rows tr button").first.click()
    expect(tab.locator("#detail-body")).to_contain_text("energy")
    expect(tab.locator("#detail-body")).to_contain_text("latency")


def test_an_outcome_that_is_not_there_has_no_figure(board: Served) -> None:
    assert board.ask(f"/api/studies/{SEVERAL}/figures/slices?outcome=latency").status == 200
    assert board.ask(f"/api/studies/{SEVERAL}/figures/slices?outcome=energy").status == 404  # a note has no model
    assert board.ask(f"/api/studies/{SEVERAL}/figures/front?outcome=latency").status == 404
    assert board.ask(f"/api/studies/{CONSTRAINED}/figures/front").status == 404


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_page_and_report_are_legible(
    browser: Browser, board: Served, storage: str, size: tuple[int, int], tmp_path: Path
) -> None:
    write_report(storage, "several", tmp_path / "report.html")
    for address in ((tmp_path / "report.html").as_uri(), f"{board.address}/studies/{SEVERAL}"):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, has_touch=size == PHONE)
        page.set_default_timeout(60_000)
        page.goto(address)
        page.locator("[data-figure=front]").wait_for()
        draw_all(page)
        assert problems(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()


def test_a_report_shows_each_outcome_on_request(browser: Browser, storage: str, tmp_path: Path) -> None:
    write_report(storage, "several", tmp_path / "report.html")
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    section = page.locator("section").filter(has=page.locator("[data-figure=slices]"))
    expect(section.locator("p.finding:visible")).to_contain_text("The model of error")
    section.get_by_role("button", name="latency").click()
    expect(section.locator("p.finding:visible")).to_contain_text("The model of latency")
    section.locator(".variant:visible .main-svg").first.wait_for()
    expect(section.get_by_role("button", name="error")).to_have_attribute("aria-pressed", "false")
    rows = page.locator("section").filter(has=page.get_by_role("heading", name="The front")).locator("tbody tr")
    expect(rows).to_have_count(len(front_of(storage)))
    assert page.locator("table.trials thead").inner_text().split("\t")[2:7] == [
        "error",
        "latency",
        MEMORY,
        "feasible",
        "front",
    ]
    page.close()
