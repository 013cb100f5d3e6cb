"""Results that are declared to be of an older code: aged.toml in the folder of the results names them, with the reason.

    [aged]
    "paper/ackley-10-q8" = "made before the maximiser changed"

A page that quotes them has to say so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

NAME = "aged.toml"


def aged(folder: Path) -> Mapping[str, str]:
    """Why experiments are of an older code, by name; empty without the file."""
    path = folder / NAME
    if not path.is_file():
        return {}
    found = tomllib.loads(path.read_text(encoding="utf-8")).get("aged")
    if not isinstance(found, dict) or not all(isinstance(why, str) and why for why in found.values()):
        raise ValueError(f"{path} must have a table [aged] of experiments with a reason for each")
    return found
