"""The API reference is complete, pages name files that exist, and the site works without a network. What the pages show
is run by test_readme.py."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import nonstop

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE = [
    path
    for page in sorted((ROOT / "docs" / "api").glob("*.md"))
    for path in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
]
#: What a browser loads by itself; a link that a reader may click is none of these.
LOADED = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^>]*>"
    r"|@import[^;]*?//[^;]*;|url\([\"']?(?:https?:)?//[^)]*\)"
)


def documented(path: str) -> object:
    """What a path of the reference means: its longest part that is a module is imported, the rest are attributes."""
    parts = path.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            found: object = import_module(".".join(parts[:count]))
        except nonstop.MissingExtraError as error:
            pytest.skip(str(error))
        except ImportError:
            continue
        for name in parts[count:]:
            found = getattr(found, name)
        return found
    raise AssertionError(f"{path} leads nowhere")


@pytest.mark.parametrize("name", nonstop.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    paths = [path for path in REFERENCE if path.split(".")[-1] == name]
    assert any(documented(path) is getattr(nonstop, name) for path in paths), f"add {name} to a page of docs/api"


@pytest.mark.parametrize("path", REFERENCE)
def test_the_reference_names_what_exists_and_each_thing_once(path: str) -> None:
    if path.startswith("nonstop.integrations."):
        pytest.importorskip(path.rpartition(".")[0], reason="its host is not installed", exc_type=ImportError)
    documented(path)
    assert REFERENCE.count(path) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_that_a_page_names_exist(page: Path) -> None:
    """`room/file.py`, from the root of the repository or of a package. A name without a folder is not looked for."""
    named = set(re.findall(r"`((?:\w+/)+\w+\.(?:py|toml|md))`", page.read_text(encoding="utf-8")))
    roots = (ROOT, ROOT / "src", ROOT / "src" / "nonstop", ROOT / "src" / "nonstop_bench")
    assert not sorted(path for path in named if not any((root / path).exists() for root in roots))


def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings", reason="the packages for the documentation are not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    files = [path for path in (tmp_path / "site").rglob("*") if path.suffix in {".html", ".css", ".svg"}]
    assert len(files) > 40
    loaded = {(path.name, found[:120]) for path in files for found in LOADED.findall(path.read_text(encoding="utf-8"))}
    assert not loaded
    assert (tmp_path / "site" / "search" / "search_index.json").exists()
