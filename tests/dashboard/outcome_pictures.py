"""The pictures of a study with two objectives and a constraint, examples/outcomes: its report, and its page.

python -m tests.dashboard.outcome_pictures FOLDER (make screenshots does it, too).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from nonstop.cli.report import write_report
from tests.dashboard.conftest import FLAGS, NAMES
from tests.dashboard.gallery import draw_all
from tests.dashboard.serving import served
from tests.helpers.commands import ROOT, run

STUDY = "outcomes"
#: Name, width and height.
REPORT, PAGE = ("report-outcomes", 1000, 1900), ("dashboard-outcomes", 1280, 1900)


def photograph(browser: Browser, address: str, target: Path, picture: tuple[str, int, int]) -> None:
    name, width, height = picture
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    page.set_default_timeout(120_000)
    page.goto(address)
    page.locator("[data-figure=front]").wait_for()
    draw_all(page)
    page.wait_for_timeout(1500)  # bars are animated
    page.screenshot(path=target / f"{name}.png", timeout=120_000)
    page.close()


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("run", str(ROOT / "examples" / "outcomes" / "study.toml"), "-q", cwd=folder)
        url = f"sqlite:///{folder / 'outcomes.db'}"
        write_report(url, STUDY, folder / "report.html")
        with served(url, folder) as dashboard, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            photograph(browser, (folder / "report.html").as_uri(), target, REPORT)
            photograph(browser, f"{dashboard.address}/studies/1", target, PAGE)
            browser.close()
    print(f"2 pictures in {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
