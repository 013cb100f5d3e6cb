"""Reports and pages measured in a browser: no number in two lines, no title cut, no label on another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from nonstop.cli.report import write_report
from tests.dashboard.gallery import PHONE, WIDE, build, draw_all, problems
from tests.dashboard.serving import Served, served

SHOWN = ("mixed", "thirty", "decades")


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('gallery') / 'gallery.db'}"
    build(url, SHOWN)
    return url


@pytest.fixture(scope="module")
def running(gallery: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(gallery, tmp_path_factory.mktemp("served")) as dashboard:
        yield dashboard


def opened(browser: Browser, size: tuple[int, int], address: str) -> Page:
    """The page with all figures drawn."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, has_touch=size == PHONE)
    page.set_default_timeout(60_000)
    page.goto(address)
    draw_all(page)
    return page


def assert_legible(page: Page) -> None:
    assert problems(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def report(gallery: str, name: str, folder: Path) -> str:
    write_report(gallery, name, folder / "report.html")
    return (folder / "report.html").as_uri()


@pytest.mark.parametrize(("name", "size"), [("thirty", PHONE), ("decades", WIDE)], ids=str)
def test_a_report_is_legible(browser: Browser, gallery: str, name: str, size: tuple[int, int], tmp_path: Path) -> None:
    page = opened(browser, size, report(gallery, name, tmp_path))
    assert_legible(page)
    page.close()


@pytest.mark.parametrize(("name", "size"), [("thirty", WIDE), ("mixed", PHONE)], ids=str)
def test_a_page_of_the_dashboard_is_legible(
    browser: Browser, running: Served, name: str, size: tuple[int, int]
) -> None:
    page = opened(browser, size, f"{running.address}/studies/{SHOWN.index(name) + 1}")
    assert_legible(page)
    page.close()


RANGE = "name => document.querySelector(`[data-figure=${name}] .js-plotly-plot, [data-figure=${name}].js-plotly-plot`)\
.layout.yaxis.range"


@pytest.mark.parametrize("place", ["report", "dashboard"])
def test_a_switch_shows_all_values(browser: Browser, gallery: str, running: Served, place: str, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(report(gallery, "mixed", tmp_path) if place == "report" else f"{running.address}/studies/1")
    card = (
        page.locator("section, figure").filter(has=page.locator("[data-figure=trace]"))
        if place == "report"
        else (page.locator("[data-figure=trace]"))
    )
    card.locator(".main-svg").first.wait_for()
    expect(card.locator(".beyond")).to_contain_text("beyond the axis, up to")
    assert page.evaluate(RANGE, "trace")[1] < 10.0
    button = card.locator(".switch")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"({RANGE})('trace')[1] > 4")  # a log axis up to 10^5
    button.press("Enter")
    page.wait_for_function(f"({RANGE})('trace')[1] < 4")
    page.close()


def test_the_trials_of_a_report_are_sorted_by_a_click(browser: Browser, gallery: str, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(report(gallery, "decades", tmp_path))
    values = page.locator(".trials tbody td:nth-child(3)")
    button = page.locator(".trials thead th:nth-child(3) button")
    button.click()
    rising = [float(text) for text in values.all_inner_texts()]
    assert rising == sorted(rising)
    assert len(rising) == 60
    button.click()
    assert [float(text) for text in values.all_inner_texts()] == sorted(rising, reverse=True)
    page.close()
