"""The dashboard in a real browser: Chromium, without a window."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import nonstop
from nonstop.dashboard.figures import figure_kinds
from nonstop.dashboard.server import STATIC
from tests.dashboard.serving import served
from tests.dashboard.studies import HOSTILE, REASON, SPACE, value_of
from tests.helpers.commands import start

OBJECTIVE = "import time\n\ndef objective(params):\n    time.sleep(0.6)\n    return params['x'] ** 2\n"


def card(page: Page, name: str) -> Locator:
    return page.locator(".study").filter(has=page.get_by_role("heading", name=name, exact=True))


def open_study(page: Page, name: str) -> None:
    page.goto("/")
    card(page, name).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def column(page: Page, position: int) -> list[str]:
    return page.locator(f"#rows td:nth-child({position})").all_inner_texts()


def test_the_list_shows_every_study_with_its_progress_and_state(page: Page) -> None:
    page.goto("/")
    expect(card(page, "good")).to_contain_text("30 completed")
    expect(card(page, "good")).to_contain_text("idle")
    expect(card(page, "good").locator("output")).not_to_have_text("…")
    expect(card(page, "broken")).to_contain_text("6 failed")
    expect(card(page, "empty")).to_contain_text("no trials yet")
    expect(card(page, HOSTILE)).to_contain_text("running")
    expect(card(page, HOSTILE)).to_contain_text("9 of 20 (45.0 %) completed")
    expect(page.locator("#live")).to_have_text("live")


def test_the_first_look_shows_best_value_progress_and_utilisation(page: Page, url: str) -> None:
    best = nonstop.load_study(url, "good").best_value
    open_study(page, "good")
    expect(page.locator("#best")).to_have_text(f"{best:.6g}")
    expect(page.locator("#completed")).to_have_text("30")
    expect(page.locator("#utilisation")).to_contain_text("%")
    expect(page.locator("#best-params")).to_contain_text("<b>loss</b>")


def test_the_budget_the_pace_and_the_times_of_trials(page: Page, url: str) -> None:
    study = nonstop.create_study(url, "paced", space=SPACE)
    study.storage.set_budget(study.id, 5000)
    for _ in range(5):
        trial = study.ask("anna")
        study.tell(trial, value_of(trial.params or {}))
    study.ask("anna")
    open_study(page, "paced")
    expect(page.locator("#of-budget")).to_have_text("of 5,000 completed · 0.1 %")
    expect(page.locator("#rate")).to_have_text(re.compile(r"results a (second|minute) · about .* left"))
    started, finished = (headings(page).index(name) + 1 for name in ("Started", "Finished"))
    expect(page.locator("#rows tr")).to_have_count(6)
    times = column(page, started)
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d", time) for time in times), times
    assert column(page, finished)[0] == "–", "the latest trial is under way"
    study.storage.set_budget(study.id, 2500)
    expect(page.locator("#of-budget")).to_have_text("of 2,500 completed · 0.2 %", timeout=15_000)
    page.goto("/")
    expect(card(page, "paced")).to_contain_text(re.compile(r"5 of 2,500 \(0\.2 %\) completed · about .* left"))
    expect(card(page, "paced")).to_contain_text(re.compile(r"1 under way · \S+ results a \w+"))


def headings(page: Page) -> list[str]:
    expect(page.locator("#columns th").first).to_be_visible()
    return [text.strip("↑↓ ") for text in page.locator("#columns th").all_inner_texts()]


def test_every_figure_is_drawn_under_the_security_policy(page: Page) -> None:
    open_study(page, "good")
    names = page.locator("[data-figure]").evaluate_all("nodes => nodes.map(node => node.dataset.figure)")
    assert set(names) == set(figure_kinds())
    for name in names:
        figure = page.locator(f"[data-figure={name}]")
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".main-svg").first).to_be_visible()
        expect(figure.get_by_role("heading")).to_have_text(figure_kinds()[name].title)


def test_figures_keep_their_place_while_they_are_drawn(page: Page) -> None:
    page.goto("/studies/1")
    page.wait_for_selector("#rows tr")
    before = page.locator("#trials").evaluate("node => node.offsetTop")
    expect(page.locator("[data-figure=trace] .main-svg").first).to_be_visible()
    assert page.locator("#trials").evaluate("node => node.offsetTop") == before


def test_the_table_is_sorted_by_its_headings(page: Page) -> None:
    open_study(page, "good")
    expect(page.locator("#rows tr").first).to_contain_text("29")
    heading = page.get_by_role("columnheader", name="Value")
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    rising = [float(text) for text in column(page, 3)]
    assert rising == sorted(rising)
    heading.get_by_role("button").press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert float(column(page, 3)[0]) >= max(rising)


def test_the_table_is_filtered_by_words_states_and_comparisons(page: Page) -> None:
    open_study(page, HOSTILE)
    page.locator("#filter-state").select_option("failed")
    expect(page.locator("#range")).to_have_text("1–3 of 3 (14 in all)")
    page.locator("#filter-state").select_option("")
    page.locator("#filter").fill("depth>=7 completed")
    expect(page.locator("#range")).to_contain_text("in all")
    assert all(int(depth) >= 7 for depth in column(page, 5))
    page.locator("#filter").fill("no such word")
    expect(page.locator("#range")).to_have_text("No trial matches.")


def test_a_trial_tells_its_details_and_the_keyboard_is_enough(page: Page) -> None:
    open_study(page, HOSTILE)
    number = page.get_by_role("button", name="Trial 3: details")
    number.focus()
    number.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Why it failed")
    expect(dialog.locator(".reason")).to_have_text(REASON)
    expect(dialog).to_contain_text("attempt")
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("heading", level=2)).to_contain_text("Trial 4")
    expect(dialog).to_contain_text("Diagnostics of the proposal")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(number).to_be_focused()


def test_the_keyboard_reaches_everything_in_order(page: Page) -> None:
    page.goto("/")
    expect(card(page, "good")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the studies")).to_be_focused()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    for _ in range(3):  # the name, the theme, the first study
        page.keyboard.press("Tab")
    expect(page.locator(".study a").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#best")).to_be_visible()


def test_names_params_and_reasons_stay_text(page: Page) -> None:
    open_study(page, HOSTILE)
    expect(page).to_have_title(f"{HOSTILE} · nonstop")
    expect(page.locator("#running")).to_contain_text("berta")
    expect(page.locator("#failures")).to_contain_text("<img src=x")
    for name in ("trace", "timeline", "slices", "parallel"):
        page.locator(f"[data-figure={name}]").scroll_into_view_if_needed()
        expect(page.locator(f"[data-figure={name}] .main-svg").first).to_be_visible()
    assert page.locator("main img, main b, main i:not([aria-hidden]), main u, main script").count() == 0
    assert page.locator("script").count() == 3  # the theme, the page and Plotly


def test_light_and_dark(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/studies/1")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert page.evaluate(background) != dark
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "light"  # remembered


def test_an_empty_study_and_one_that_only_failed_say_so(page: Page) -> None:
    open_study(page, "empty")
    expect(page.locator("#start")).to_contain_text("No trials yet")
    open_study(page, "broken")
    expect(page.locator("#best-when")).to_have_text("no result yet")
    expect(page.locator("#failures")).to_contain_text("ValueError: reason 1")
    expect(page.locator("[data-figure=trace] .plot")).not_to_contain_text("could not")


def test_a_phone_needs_no_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/", "/studies/1"):
        page.goto(path)
        expect(page.locator("#live")).to_have_text("live")
        page.wait_for_selector("#rows tr, .study")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_result_is_on_the_page_without_a_reload(page: Page, url: str) -> None:
    """Within two seconds on a quiet machine: benchmarks/dashboard.py measures it."""
    study = nonstop.create_study(url, "told by hand", space=SPACE)
    open_study(page, "told by hand")
    page.evaluate("window.here = true")
    for number in range(2):
        trial = study.ask("anna")
        expect(page.locator("#running")).to_contain_text("anna")
        study.tell(trial, value_of(trial.params or {}))
        expect(page.locator("#rows tr").first).to_contain_text("completed")
        expect(page.locator("#completed")).to_have_text(str(number + 1))
    expect(page.locator("#none-running")).to_be_visible()
    assert page.evaluate("window.here")


def test_trials_arrive_live_while_a_real_worker_runs(page: Page, url: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OBJECTIVE)
    options = ["--storage", url, "--name", "live", "-p", "x=float:0:1", "--n-trials", "8", "--workers", "1"]
    worker = start("run", "mine:objective", *options, "-q", cwd=tmp_path)
    page.goto("/")
    expect(card(page, "live")).to_be_visible()
    open_study(page, "live")
    page.evaluate("window.here = true")
    page.wait_for_selector("#rows tr")
    seen = set()
    while "8" not in seen:
        seen.add(page.locator("#completed").inner_text())
        page.wait_for_timeout(50)
        assert len(seen) < 12
    assert len(seen) >= 3  # it was watched, not found finished
    expect(page.locator("[data-figure=trace] .main-svg").first).to_be_visible()
    expect(page.locator("[data-figure=trace] .finding")).to_contain_text("Best value")
    assert page.evaluate("window.here")
    assert worker.wait(timeout=30) == 0
    worker.communicate()


def test_a_storage_out_of_reach_is_told_and_comes_back(page: Page, url: str) -> None:
    open_study(page, "good")
    file = Path(url.removeprefix("sqlite:///"))
    away = file.rename(file.with_name("away.db"))
    expect(page.locator("#notice")).to_contain_text("The storage cannot be read.")
    expect(page.locator("#completed")).to_have_text("30")  # what was known stays
    away.rename(file)
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("#live")).to_have_text("live")


@pytest.fixture
def watched(browser: Browser) -> Iterator[Page]:
    """A page whose server may go: lost connections stand in the console."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_dashboard_that_stops_is_told_and_one_that_starts_again_is_found(
    watched: Page, url: str, tmp_path: Path
) -> None:
    with served(url, tmp_path) as first:
        watched.goto(f"{first.address}/studies/1")
        expect(watched.locator("#completed")).to_have_text("30")
        first.process.send_signal(signal.SIGINT)
        assert first.process.wait(timeout=20) == 0
        expect(watched.locator("#notice")).to_contain_text("does not answer")
    with served(url, tmp_path, "--port", str(first.port)):
        expect(watched.locator("#notice")).to_be_hidden(timeout=10_000)
        expect(watched.locator("#live")).to_have_text("live")


def test_pages_hold_no_data_and_no_script_of_their_own() -> None:
    for page in STATIC.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "style=" not in text
        assert all("src=" in tag for tag in text.split("<script")[1:])
    for script in STATIC.glob("*.js"):
        assert "innerHTML" not in script.read_text(encoding="utf-8")


def test_what_is_not_there_is_a_dash(page: Page, tmp_path: Path) -> None:
    """Of two choices one brings a parameter along; another choice is null, which is a value."""
    url = f"sqlite:///{tmp_path / 'nested.db'}"
    brings = nonstop.Categorical({"svm": nonstop.Space({"C": nonstop.Float(0, 1)}), "none": None})
    space = nonstop.Space({"model": brings, "pad": nonstop.Categorical([None, "same"])}, where=["pad == none or C < 1"])
    study = nonstop.create_study(url, "nested", space=space)
    study.add_trial({"model": "svm", "C": 0.25, "pad": None}, 1.0)
    study.add_trial({"model": "none", "pad": "same"}, 2.0)
    study.enqueue({"model": "none", "pad": None})
    study.ask()
    with served(url, tmp_path) as running:
        page.goto(f"{running.address}/studies/1")
        cells = page.locator("#trials tr", has_text="completed")
        expect(cells).to_have_count(2)
        rows = {row[0]: row[3:6] for row in (cells.nth(i).locator("td, th").all_inner_texts() for i in range(2))}
        assert rows == {"0": ["svm", "0.25", "null"], "1": ["none", "–", "same"]}
        expect(page.locator("#running")).to_contain_text("model=none, pad=null")
        page.locator("[data-figure=parallel]").scroll_into_view_if_needed()
        expect(page.locator("[data-figure=parallel] .main-svg").first).to_be_visible()
        expect(page.locator("[data-figure=parallel]")).to_contain_text("–")
        page.goto("about:blank")  # before its server ends
