"""What the README and the documentation show is true: their Python runs and prints what they say, their commands exist.

The Python blocks of a page run in order and share their names, as in a session. A block that begins with `# name.py` is
also a file that later blocks can import. One that begins with `#!` and then `# name.py` is a script: it is there for
the commands of its page, and does not run by itself; so is the file of a `toml` block that begins with `# name.toml`,
or of a `yaml` block. Pages about other tools run where these are: in tests/integrations/test_pages.py.
A `text` block after a Python block is what it prints; numbers may differ a little between machines, words may not.
Commands that start with `nonstop`, `nonstop-bench`, `python` or `make` are run by .ci/run, or here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
HOSTED = sorted((ROOT / "docs" / "integrations").glob("*.md"))
COMMANDS = {"nonstop", "nonstop-bench", "python", "make"}
NUMBER = r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?"


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    content = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```$", content, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2], content.count("\n", 0, found.start()) + 2)


#: The name of a file in the first line of a block; #! before it makes it a script.
FILE = re.compile(r"(#![^\n]*\n)?# (\w+\.(?:py|toml|yaml))\n")


def write_files(page: Path, folder: Path) -> None:
    """The files that blocks of the page are."""
    for block in blocks(page):
        if block.language in {"python", "toml", "yaml"} and (named := FILE.match(block.text)):
            (folder / named[2]).write_text(block.text, encoding="utf-8")


def commands(page: Path) -> Iterator[str]:
    for block in blocks(page):
        if block.language in {"console", "bash", "sh"}:
            lines = [line.removeprefix("$ ").partition(" #")[0].strip() for line in block.text.splitlines()]
            yield from (line for line in lines if _program(line) in COMMANDS)


def _program(line: str) -> str:
    """The first word that sets no variable."""
    return next((word for word in line.split(" ") if "=" not in word), "")


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))


def assert_alike(printed: str, promised: str) -> None:
    assert re.sub(NUMBER, "#", printed).split() == re.sub(NUMBER, "#", promised).split()
    values = [[float(number) for number in re.findall(NUMBER, text)] for text in (printed, promised)]
    assert values[0] == pytest.approx(values[1], rel=0.2, abs=0.02), printed


@pytest.mark.parametrize("page", [page for page in PAGES if page not in HOSTED], ids=shown)
def test_the_python_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    write_files(page, tmp_path)
    for block in blocks(page):
        if block.language == "python" and not block.text.startswith("#!"):
            source = "\n" * (block.line - 1) + block.text  # so that a traceback names the line of the page
            exec(compile(source, str(page), "exec"), namespace)
            printed = capsys.readouterr().out
        elif block.language == "text" and printed:
            assert_alike(printed, block.text)
            printed = None


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "CONTRIBUTING.md" and page not in HOSTED], ids=shown
)
def test_the_commands_are_run_by_ci_or_here(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_files(page, tmp_path)
    run_by_ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in commands(page):
        if re.search(rf"{re.escape(command)}$", run_by_ci, re.MULTILINE):
            continue
        assert _program(command) in COMMANDS - {"make"}, f"`{command}` is run neither by .ci/run nor here"
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(command, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, check=True, timeout=120)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    assert set(re.findall(r"(?:`|^\$ )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)) <= targets


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target
