"""The pictures of docs/images: python -m tests.dashboard.screenshots FOLDER (or make screenshots)."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.dashboard.conftest import FLAGS, NAMES
from tests.dashboard.serving import served
from tests.dashboard.studies import fill
from tests.helpers.commands import BRANIN, ROOT, completed, run, wait_until

DEMO = "demo-6"
#: Name, path, width, height, colours.
PICTURES = (
    ("list", "/", 1280, 720, "light"),
    ("study", "/studies/6", 1280, 1500, "light"),
    ("dark", "/studies/6", 1280, 1500, "dark"),
    ("phone", "/studies/6", 390, 1300, "light"),
)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Branin's study, those of the tests, and the demo's, which is still under way."""
    url = f"sqlite:///{folder / 'runs.db'}"
    run("run", BRANIN, "--storage", url, "-q", cwd=folder)
    fill(url)
    demo = [sys.executable, str(ROOT / "examples" / "demo.py"), "--storage", url, "--budget", "900", "--seconds", "0.8"]
    process = subprocess.Popen(demo, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: completed(url, DEMO) >= 120)
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


def take(browser: Browser, address: str, target: Path, picture: tuple[str, str, int, int, str]) -> None:
    name, path, width, height, colours = picture
    dark = colours == "dark"
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    page.goto(f"{address}{path}")
    page.wait_for_selector(".study output, #rows tr")
    if path != "/":
        _wait_for_figures(page)
    page.wait_for_timeout(1500)  # best values arrive with the second poll; bars are animated
    page.screenshot(path=target / f"dashboard-{name}.png")
    page.close()


def _wait_for_figures(page: Page) -> None:
    """Those in view; the tallest page has all of them in view."""
    seen = "[...document.querySelectorAll('.plot')].filter(p => p.getBoundingClientRect().top < innerHeight)"
    wait_until(lambda: bool(page.evaluate(f"{seen}.every(p => p.querySelector('.main-svg'))")))


def main(target: Path) -> None:
    path = next(found for name in NAMES if (found := shutil.which(name)))
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(folder) as url, served(url, folder) as dashboard, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            for picture in PICTURES:
                take(browser, dashboard.address, target, picture)
            browser.close()
    print(f"{len(PICTURES)} pictures in {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
