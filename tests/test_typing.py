"""What users write passes mypy --strict: the Python of the pages, and the objectives that people declare.

The functions below are checked by `make types`, as all tests are; here they also run.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

import pytest

import nonstop
from tests.test_readme import FILE, HOSTED, PAGES, ROOT, blocks, shown

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "n": nonstop.Int(1, 4)})


class Known(TypedDict):
    x: float
    n: int


def of_numbers(params: dict[str, float]) -> float:
    return (params["x"] - 0.3) ** 2 + params["n"]


def of_anything(params: Mapping[str, Any]) -> float:
    return float((params["x"] - 0.3) ** 2 + params["n"])


def of_objects(params: Mapping[str, object]) -> int:
    return len(params)


def of_params(params: nonstop.Params) -> float:
    return _loss(**params)


def of_known(params: Known) -> float:
    return (params["x"] - 0.3) ** 2 + params["n"]


def of_no_type(params):  # type: ignore[no-untyped-def]
    return params["x"]


def _loss(x: float, n: int) -> float:
    return (x - 0.3) ** 2 + n


@pytest.mark.parametrize("objective", [of_numbers, of_anything, of_objects, of_params, of_known, of_no_type])
def test_any_declaration_of_the_params_is_an_objective(objective: Callable[..., object]) -> None:
    nonstop.create_study(space=SPACE, seed=0).optimize(objective, n_trials=1)


def test_params_are_used_without_casts() -> None:
    study = nonstop.create_study(space=SPACE, seed=0)
    for objective in (of_numbers, of_anything):  # two types that have no common one but Callable
        study.optimize(objective, n_trials=1)
    study.optimize(of_known, n_trials=1)
    study.optimize(lambda params: params["x"] * 2, n_trials=2)
    trial = study.ask()
    x: float = trial.params["x"] * 2.0
    study.tell(trial, _loss(**trial.params) + x)
    assert round(study.best_params["x"] * 100) >= 0
    assert study.best_value + 1.0 > 0.0


def modules_of(page: Path) -> dict[str, str]:
    """The Python blocks of a page as modules: each that is a file, and all others together on the lines of the page."""
    lines = [""] * len(page.read_text(encoding="utf-8").splitlines())
    files: dict[str, str] = {}
    for block in blocks(page):
        if block.language == "python" and (named := FILE.match(block.text)):
            files[named[2]] = block.text
        elif block.language == "python":
            for place, line in enumerate(block.text.splitlines(), start=block.line - 1):
                lines[place] = line
    together = "\n".join(lines) + "\n"
    name = shown(page).replace("/", "_").replace("-", "_")[:-3] + ".py"
    return {**files, **({name: together} if together.strip() else {})}


def checked(sources: Mapping[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """mypy, as `make types` runs it, on files of these names; its cache is that of `make types`."""
    for name, source in sources.items():
        (folder / name).write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    command += [str(folder / name) for name in sources]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_python_of_the_pages_passes_mypy_strict(tmp_path: Path) -> None:
    # Where a tool is not installed, or has no types, whatever is made of it is Any, which is not strict.
    pages = [page for page in PAGES if page not in HOSTED]
    sources = {name: source for page in pages for name, source in modules_of(page).items()}
    assert len(sources) > 10
    done = checked(sources, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_of_a_page_is_seen(tmp_path: Path) -> None:
    source = "import nonstop\n\nstudy = nonstop.create_study(space=nonstop.Space({}))\nstudy.best_value.lower()\n"
    done = checked({"page.py": source}, tmp_path)
    assert done.returncode == 1
    assert "attr-defined" in done.stdout
