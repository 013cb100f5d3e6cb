"""The report: one file, nothing from the network, and text of users is escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.plots import FIGURES
from nonstop.report import About, page, resume_command
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from tests.cli.conftest import Said
from tests.cli.conftest import call as call
from tests.cli.conftest import folder as folder
from tests.cli.conftest import url as url
from tests.helpers.studies import NASTY, THIRTY, study

Call = Callable[..., Said]
MB = 1_000_000


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, text by element, the data of the figures."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.data: dict[str, Any] = {}
        self.feed(content)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        attributes = self.tags[-1][1] if self.tags else {}
        if self.open and self.open[-1] == "script" and attributes.get("type") == "application/json":
            self.data[str(attributes["id"])] = json.loads(data)
        elif not self.open or self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def made(spec: Spec, trials: list[Trial], name: str = "demo") -> str:
    about = About(name, "sqlite:///runs.db", "ucb", 5000.0, resume_command("sqlite:///runs.db", name, len(trials)))
    return page(about, spec, trials)


def test_the_report_says_what_a_newcomer_needs() -> None:
    spec, trials = study(n=40, fails=lambda i: i % 8 == 5)
    report = Page(made(spec, trials))
    best = min((t for t in trials if t.value is not None), key=lambda t: t.value or 0.0)
    for words in (
        "nothing is running",
        "completed 35",
        "failed 5",
        f"Trial {best.number} reached {best.value:.6g}, to minimize the value.",
        "1e-05 to 0.1 (log)",
        "l1, l2, huber",
        "5 ValueError: it broke",
        "1970-01-01 00:16:40 UTC",
        "all workers",
        "nonstop worker sqlite:///runs.db demo MODULE:FUNCTION --n-trials 80",
    ):
        assert words in report.text, words
    assert set(report.data) == {"data-config", *(f"data-{name}" for name in FIGURES)}
    assert report.data["data-trace"]["data"]


def test_the_table_of_trials() -> None:
    spec, trials = study(n=12, fails=lambda i: i == 5)
    report = Page(made(spec, trials))
    for words in (
        "All 12 trials.",
        "trial state value lr depth loss width worker time (UTC) duration reason",
        f"3 completed {trials[3].value:.6g} {(trials[3].params or {})['lr']:.6g}",
        "5 failed –",
        "ValueError: it broke",
    ):
        assert words in report.text, words
    many = Page(made(*study(n=1500)))
    assert "The best 100 and the latest of 1,500 trials" in many.text


def test_titles_and_notes_are_text_of_the_page() -> None:
    spec, trials = study(n=60, value=lambda x: 30.0 + x[0] + (1.8e4 if x[0] > 0.93 else 0.0))
    report = Page(made(spec, trials))
    assert "Best value" in report.text
    assert "values beyond the axis, up to 18000." in report.text
    assert report.data["data-trace"]["layout"]["title"]["text"] == ""


def test_nothing_comes_from_the_network() -> None:
    report = Page(made(*study(n=10)))
    assert not [tag for tag, attributes in report.tags if {"src", "href"} & set(attributes)]
    assert not [tag for tag, _ in report.tags if tag in ("link", "iframe", "img", "base", "form")]
    assert sum(tag == "script" and "type" not in attributes for tag, attributes in report.tags) == 2  # plotly, and ours


def test_text_of_users_is_escaped() -> None:
    space = nonstop.Space({NASTY: nonstop.Float(0.0, 1.0), "c": nonstop.Categorical([NASTY, "b"])})
    spec, trials = study(space, 20, name=NASTY, fails=lambda i: i == 3)
    plain, nasty = Page(made(spec, study(n=20, fails=lambda i: i == 3)[1][:0])), Page(made(spec, trials, NASTY))
    assert {tag for tag, _ in nasty.tags} <= {tag for tag, _ in plain.tags} | {
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "span",
        "div",
        "button",
    }
    assert NASTY in nasty.text
    assert not nasty.open
    assert [tag for tag, _ in nasty.tags].count("script") == 3 + len(FIGURES)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_report_of_little(n: int) -> None:
    report = Page(made(*study(n=n)))
    assert ("There is no completed trial yet" in report.text) == (n == 0)


@pytest.mark.parametrize(("space", "n"), [(None, 1000), (THIRTY, 1000), (None, 10_000)])
def test_a_report_stays_small(space: nonstop.Space | None, n: int) -> None:
    spec, trials = study(n=n, workers=8) if space is None else study(space, n, workers=8)
    assert len(made(spec, trials).encode()) <= 6 * MB


def test_the_command_writes_it(call: Call, url: str, folder: Path) -> None:
    said = call("report", url, "demo")
    assert said.code == 0
    assert re.fullmatch(r"wrote demo\.html \(\d\.\d MB\)\n", said.out)
    report = Page((folder / "demo.html").read_text(encoding="utf-8"))
    assert "1 trial under way when this was written" in report.text
    assert 'RuntimeError: "out of memory"' in report.text
    assert call("report", url, "demo", "-o", "other.html").code == 0
    assert (folder / "other.html").exists()
    missing = call("report", url, "demo", "-o", "no/such/folder.html")
    assert missing.code == 1
    assert "cannot write no/such/folder.html" in missing.err


def test_a_rule_that_is_not_available_is_mentioned(call: Call, folder: Path) -> None:
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
    own = nonstop.create_study(f"sqlite:///{folder / 'own.db'}", "a/b <i>", space=space, rule=nonstop.UCB(beta=3.0))
    own.tell(own.ask(), 1.0)
    own.storage.close()
    assert call("report", "sqlite:///own.db", "a/b <i>").code == 0
    text = Page((folder / "a-b--i-.html").read_text(encoding="utf-8")).text
    assert "UCB(beta=3.0)" in text
    assert "no acquisition is drawn" in text


def test_no_password_is_in_a_report() -> None:
    command = resume_command("postgresql://me:***@host/runs", "my study", 30)
    assert (
        command == "nonstop worker 'postgresql://me:***@host/runs' 'my study' MODULE:FUNCTION --n-trials 60 --workers 4"
    )
