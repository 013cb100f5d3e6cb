"""Where a record comes from: the commit of the code, whether it was changed since, and the versions of what it uses."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

import nonstop

#: The commit of a record that was made by code outside a repository.
OUTSIDE = "none"
_PACKAGES = ("numpy", "scipy")


@dataclass(frozen=True, slots=True)
class Origin:
    """What made a record."""

    #: The full hash of the commit, or OUTSIDE.
    commit: str
    #: Was the code below src that of the commit, to the last byte?
    clean: bool
    #: Versions by name: nonstop, numpy, scipy, python, blas.
    versions: dict[str, str]


@lru_cache(maxsize=1)
def origin() -> Origin:
    """The origin of what this process makes; the first call should come early, before the files can change."""
    commit, clean = commit_of(Path(nonstop.__file__).resolve().parents[2])
    used = {package: version(package) for package in _PACKAGES}
    versions = {"nonstop": nonstop.__version__, **used, "python": platform.python_version(), "blas": _blas()}
    return Origin(commit, clean, versions)


def _blas() -> str:
    """The library of linear algebra and the kind of processor that it runs on: with the versions of NumPy and SciPy,
    which bring it, they decide how numbers are rounded."""
    found = [each for each in threadpool_info() if each["user_api"] == "blas"]
    said = {f"{each['internal_api']} {each.get('architecture', '')}".strip() for each in found}
    return ", ".join(sorted(said)) or platform.machine()


def commit_of(root: Path) -> tuple[str, bool]:
    """The commit of a repository with this root, and whether nothing below its src differs from it."""
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root:
        return OUTSIDE, False
    commit = _git(root, "rev-parse", "HEAD")
    changed = _git(root, "status", "--porcelain", "--untracked-files=all", "--", "src")
    return commit or OUTSIDE, changed == ""


def _git(root: Path, *words: str) -> str | None:
    """What git says; None without git, or if that is no repository."""
    try:
        said = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()
