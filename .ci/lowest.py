"""The lowest versions that pyproject.toml allows, as requirements for pip: numpy>=1.26 becomes numpy==1.26.

Only what every Python has: it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lowest(pyproject: str) -> list[str]:
    """Every core dependency at its lower bound. ValueError if one has no bound of that form: then it is not tested."""
    found = []
    for requirement in tomllib.loads(pyproject)["project"]["dependencies"]:
        bound = re.fullmatch(r"\s*([A-Za-z0-9._-]+)\s*>=\s*([0-9]+(?:\.[0-9]+)*)\s*", requirement)
        if bound is None:
            raise ValueError(f"a core dependency must be NAME>=VERSION, not {requirement!r}")
        found.append(f"{bound[1]}=={bound[2]}")
    return found


if __name__ == "__main__":
    try:
        print("\n".join(lowest((ROOT / "pyproject.toml").read_text(encoding="utf-8"))))
    except ValueError as error:
        sys.exit(f"pyproject.toml: {error}")
