"""A folder with objectives, a study to look at, and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import nonstop
from nonstop.cli.app import main
from tests.helpers.postgres import postgres_url as postgres_url

OBJECTIVES = """
import time

def square(params):
    return (params["x"] - 0.3) ** 2

def slow(params):
    time.sleep(0.2)
    return square(params)

def endless(params):
    time.sleep(600)

def broken(params):
    raise ValueError("this never works")

def talkative(params):
    print("I am at work")
    time.sleep(0.4)
    return square(params)
"""


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(OBJECTIVES)
    return tmp_path


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """The command in this very process, for what needs no process of its own."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("NONSTOP_STORAGE", raising=False)
    monkeypatch.delenv("NONSTOP_DEBUG", raising=False)

    def call(*arguments: str) -> Said:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert isinstance(left.value.code, int)
        return Said(left.value.code, *capsys.readouterr())

    return call


@pytest.fixture
def url(folder: Path) -> str:
    """The URL of a storage with the study `demo`: three results, a failure, one running and one waiting trial."""
    url = f"sqlite:///{folder / 'runs.db'}"
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "kind": nonstop.Categorical(["a", "b, c", 3, None])})
    study = nonstop.create_study(url, "demo", space=space, seed=1)
    for value in (0.5, 0.1, 0.7):
        study.tell(study.ask("anna"), value)
    study.tell(study.ask("berta"), state="failed", reason='RuntimeError: "out of\nmemory"')
    study.ask("berta")
    study.enqueue({"x": 0.25, "kind": None})
    study.storage.close()
    return url
