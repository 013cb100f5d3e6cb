"""One dashboard and one browser for each process of the test run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.dashboard.serving import Served, served
from tests.dashboard.studies import fill

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=20_000)  # the machine may be busy with other tests
#: Plotly brings a style sheet for maps, which the security policy keeps out; everything else in the console is a bug.
EXPECTED = ("Applying inline style violates", "GL Driver Message")


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('dashboard') / 'runs.db'}"
    fill(url)
    return url


@pytest.fixture(scope="session")
def dashboard(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(url, tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        why = "no Chromium here: `make browser` installs it, or put chromium or google-chrome on the PATH"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, dashboard: Served) -> Iterator[Page]:
    """A page with nothing remembered, on the dashboard; errors of scripts and of the console fail the test."""
    context = browser.new_context(base_url=dashboard.address, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(20_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
    yield page
    context.close()
    assert [text for text in wrong if not text.startswith(EXPECTED)] == []
