"""Where evaluations may write: a folder for each trial, made when it is first wanted.

    nonstop-runs/train-3f2a91c4/12/      in the folder where the run was started, or where `folder` says

The part behind the study's name identifies it: two studies never share a folder, whatever their names and databases. A
trial that is handed on to another worker keeps its folder, so that it can go on from what is there. Folders are for
this user only.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

#: The folder of all studies, in the folder where a run is started.
ROOT: Final = "nonstop-runs"
_LONGEST: Final = 60  # characters of a study's name
_IDENTITY: Final = 8  # characters that identify the study


def study_folder(root: Path, name: str, creation: str) -> Path:
    """The folder of a study: the one that is there, also if the study was renamed meanwhile, or a new name."""
    identity = re.sub("[^0-9a-z]", "", creation.lower())[:_IDENTITY]
    there = sorted(root.glob(f"*-{identity}")) if identity else []
    return (there or [root / f"{safe_name(name)}-{identity}"])[0].absolute()


def safe_name(name: str) -> str:
    """The name with only letters, digits, dots, _ and -, and not beginning with a dot."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).lstrip(".")[:_LONGEST] or "study"


def made(folder: Path) -> Path:
    """The folder, after it and what is missing above it were made, for this user only."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    return folder
