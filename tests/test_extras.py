"""A missing extra is named with the command that installs it, from wherever nonstop was installed."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nonstop

ROOT = Path(__file__).parents[1]


class Installed:
    """Stands for importlib.metadata.Distribution."""

    def __init__(self, origin: str | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.origin


def said(monkeypatch: pytest.MonkeyPatch, origin: object, distribution: str = "nonstop") -> str:
    text = origin if isinstance(origin, str) or origin is None else json.dumps(origin)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: Installed(text))
    message = str(nonstop.MissingExtraError("drawing figures", "plots", distribution))
    start = "drawing figures needs an optional dependency: "
    assert message.startswith(start)
    return message.removeprefix(start)


def test_from_a_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, None) == "pip install 'nonstop[plots]'"
    assert said(monkeypatch, None, "nonstop-bench") == "pip install 'nonstop-bench[plots]'"


def test_from_a_clone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    origin: dict[str, Any] = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    assert said(monkeypatch, origin) == f"pip install -e '{tmp_path}[plots]'"
    assert said(monkeypatch, {**origin, "dir_info": {}}) == f"pip install '{tmp_path}[plots]'"
    monkeypatch.chdir(tmp_path)
    assert said(monkeypatch, origin) == "pip install -e '.[plots]'"
    bench = {**origin, "url": (tmp_path / "bench").as_uri()}
    assert said(monkeypatch, bench, "nonstop-bench") == "pip install -e './bench[plots]'"


def test_a_folder_may_be_called_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "it's $HOME & more"
    origin = {"url": folder.as_uri(), "dir_info": {}}
    command = said(monkeypatch, origin).replace("pip install", "printf %s")
    printed = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert printed == f"{folder}[plots]"


def test_from_version_control(monkeypatch: pytest.MonkeyPatch) -> None:
    origin = {"url": "https://example.org/nonstop.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}}
    assert said(monkeypatch, origin) == "pip install 'nonstop[plots] @ git+https://example.org/nonstop.git'"


@pytest.mark.parametrize("origin", ["", "no JSON", "[]", '{"url": 3, "dir_info": 4}'])
def test_a_damaged_record_is_no_error_of_its_own(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, origin) == "pip install 'nonstop[plots]'"


def test_what_is_not_installed_at_all_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Installed:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    assert "pip install 'nonstop[plots]'" in str(nonstop.MissingExtraError("this", "plots"))


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    """In an environment without Plotly, as this installation is: editable, from a clone."""
    code = "import sys; sys.modules['plotly'] = None\nfrom nonstop.cli.app import main\nmain(sys.argv[1:])"
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    nonstop.create_study(url, "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
    command = [sys.executable, "-c", code, "report", url, "demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "needs an optional dependency: pip install " in done.stderr
    assert "[plots]'" in done.stderr
    assert done.stderr.count("\n") == 1
