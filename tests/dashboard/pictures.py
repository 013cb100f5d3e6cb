"""The pictures of docs/howto: python -m tests.dashboard.pictures FOLDER (make screenshots does it, too).

A notebook's view of a study, and some figures of its report: a network whose training diverges in a part of the space.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import nonstop
from nonstop.cli.report import write_report
from nonstop.types import Params
from tests.dashboard.conftest import FLAGS, NAMES
from tests.dashboard.gallery import STUDIES, draw_all, luck, mixed

FIGURES = ("trace", "timeline", "slices", "contour", "check")
WIDTH = 900
PAGE = (
    '<!doctype html><meta charset="utf-8"><body style="font:14px sans-serif;margin:0;padding:12px;width:max-content">{}'
)


def training(params: Params) -> float:
    """The gallery's network, which diverges if the rate is too large for its depth; a second on average."""
    time.sleep(0.2 + abs(luck(params).normal()))
    if params["lr"] * params["depth"] > 1.5:
        raise FloatingPointError("the loss is NaN after 3 steps")
    return mixed(params)


def run(url: str) -> nonstop.Study:
    study = nonstop.create_study(url, "network", space=STUDIES["mixed"].space, seed=3)
    with ThreadPoolExecutor(4) as pool:
        study.optimize(training, 60, workers=pool, max_failures=None)
    return study


def photograph(browser: Browser, study: nonstop.Study, report: Path, target: Path) -> None:
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000}, color_scheme="light")
    page.goto(report.as_uri())
    draw_all(page)
    for name in FIGURES:
        figure = page.locator(f'[data-figure="{name}"]').first
        figure.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        figure.screenshot(path=target / f"figure-{name}.png")
    page.set_content(PAGE.format(study._repr_html_()))
    page.locator("body").screenshot(path=target / "notebook.png")
    page.close()


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        url = f"sqlite:///{Path(name) / 'runs.db'}"
        study = run(url)
        report = Path(name) / "report.html"
        write_report(url, study.name, report)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        photograph(browser, study, report, target)
        browser.close()
    print(f"{len(FIGURES) + 1} pictures in {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
