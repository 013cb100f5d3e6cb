"""The folder for the registry of OptunaHub: what its own check of README files asks for, and that it can be loaded."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.hosts import host

FOLDER = Path(__file__).parents[2] / "integrations" / "optunahub"


def front_matter() -> dict[str, str]:
    """What stands between the two lines of the head, which is YAML of the simplest kind."""
    _, head, _ = (FOLDER / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines())


def test_the_head_of_the_readme() -> None:
    head = front_matter()
    assert head.keys() == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert all(head.values())
    assert not [value for value in head.values() if ": " in value], "YAML would read a mapping"
    assert re.fullmatch(r"\[sampler(, [\w -]+)*\]", head["tags"])
    assert re.fullmatch(r"\[\d+\.\d+\.\d+\]", head["optuna_versions"])
    assert head["license"] == "MIT License"
    assert (FOLDER / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n\nCopyright (c) 2026 ")


def test_the_readme_has_the_sections_and_no_html() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Abstract", "APIs", "Installation", "Example"]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"<[a-z/!][^>]*>", prose)


def test_the_readme_shows_the_example() -> None:
    example = (FOLDER / "example.py").read_text(encoding="utf-8").removeprefix("from __future__ import annotations\n\n")
    assert f"```python\n{example}```" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_from_a_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host("optuna")
    optunahub = host("optunahub")
    shutil.copytree(FOLDER, tmp_path / "samplers" / "nonstop")

    def local(package: str) -> Any:
        return optunahub.load_local_module(package, registry_root=str(tmp_path))

    monkeypatch.setattr(optunahub, "load_module", local)
    space = runpy.run_path(str(FOLDER / "example.py"))
    assert space["study"].best_value < 0.01
    assert str(space["study"].best_value) in capsys.readouterr().out
