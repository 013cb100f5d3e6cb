"""What notebooks show of studies, trials and spaces: escaped, without scripts, in the colours of the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import nonstop

EVIL = "<script>alert(1)</script> & \"'><img src=x onerror=alert(2)>\x1b[31m"
SPACE = nonstop.Space({"lr": nonstop.Float(1e-5, 1e-1, log=True), EVIL: nonstop.Categorical([EVIL, "l2", None])})
TAGS = {"div", "b", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}


class Page(HTMLParser):
    """The tags, the styles and the text; AssertionError if tags are not closed in order, or have attributes but one."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.styles: list[str] = []
        self.words: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= {"style"}
        self.styles += [str(value) for _, value in attrs]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " | ".join(word for word in self.words if word.strip())


def shown(value: nonstop.Study | nonstop.Trial | nonstop.Space) -> Page:
    return Page(value._repr_html_())


@pytest.fixture
def study(tmp_path: Path) -> nonstop.Study:
    study = nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", EVIL.replace("\x1b", ""), space=SPACE, seed=0)
    for value in (3.0, 1.23456789, 2.0, 9.0, 8.0, 7.0):
        study.tell(study.ask("worker 1"), value)
    study.tell(study.ask(EVIL), state="failed", reason=EVIL)
    study.ask()
    return study


def test_a_study_shows_its_state_its_best_and_its_latest_failure(study: nonstop.Study) -> None:
    text = shown(study).text
    assert "minimize" in text
    assert "1 running, 6 completed, 1 failed" in text
    assert "latest failure: trial 6" in text
    assert text.index("1.23457") < text.index("| 2 |") < text.index("| 3 |")
    assert "| 9 |" not in text  # it is the sixth
    assert "runs.db" in text
    assert "Float(1e-05, 0.1, log=True)" in text


def test_what_others_wrote_is_text(study: nonstop.Study) -> None:
    trial = study.trials[6]
    for page in (shown(study), shown(trial), shown(study.spec.space), shown(study.best_trial)):
        assert "<script>alert(1)</script>" in "".join(page.words)
        assert "\x1b" not in page.text


def test_colours_come_from_the_page(study: nonstop.Study) -> None:
    styles = ";".join(shown(study).styles)
    assert set(re.findall(r"(?:color|background)\s*:\s*([^;]+)", styles)) == {"inherit", "none"}
    assert set(re.findall(r"rgba?\([^)]*\)|#\w+", styles)) == {"rgba(128,128,128,0.35)"}  # grey lines
    assert "url(" not in styles


def test_a_trial_shows_its_params_and_who_evaluated_it(study: nonstop.Study) -> None:
    text = shown(study.best_trial).text
    assert text.startswith("Trial 1 |  · completed · value 1.23457 · ")
    assert "by worker 1" in text
    assert "| lr | " in text
    running = shown(study.trials[7]).text
    assert running.startswith("Trial 7 |  · running")
    assert shown(nonstop.Trial(3, nonstop.TrialState.PROPOSING)).text == "Trial 3 |  · proposing"


def test_an_empty_study_and_a_space() -> None:
    assert "no trial yet" in shown(nonstop.create_study(space=SPACE)).text
    assert shown(SPACE).text.startswith("Space |  · 2 parameters | lr | Float(1e-05, 0.1, log=True)")


def test_a_study_is_read_anew(study: nonstop.Study) -> None:
    other = nonstop.load_study(study.storage, study.name)
    other.tell(other.ask(), 0.5)
    assert "7 completed" in shown(study).text


def test_long_texts_are_shortened_and_numbers_stay_whole() -> None:
    study = nonstop.create_study(space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
    study.tell(study.ask(), state="failed", reason="long " * 10_000)
    study.tell(study.ask(), 1e-300)
    html = study._repr_html_()
    assert len(html) < 6000
    assert re.search(r"white-space:nowrap\">1e-300<", html)
