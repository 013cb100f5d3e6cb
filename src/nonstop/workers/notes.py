"""What an evaluation tells besides its value: JSON, by name, kept with the trial.

Every worker reads the notes of all trials, so they are short. Large matter belongs into a file in the trial's folder.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from nonstop.arguments import text_of
from nonstop.errors import ObjectiveError
from nonstop.types import Notes
from nonstop.wording import printable, shown

#: Characters of all notes of one trial together, as JSON; and of a key.
LONGEST: Final = 65_536
LONGEST_KEY: Final = 100


def with_note(notes: Notes, key: object, value: object) -> dict[str, object]:
    """The notes with one more; ObjectiveError if it is none, or too long."""
    name = key_of(key)
    try:
        found = {**notes, name: plain(value)}
        length = len(json.dumps(found, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ObjectiveError(f"the note {name!r} cannot be kept: {error or 'it contains itself'}") from None
    if length > LONGEST:
        raise ObjectiveError(
            f"the note {name!r} is too long: the notes of a trial have at most {LONGEST:,} characters of JSON, not "
            f"{length:,}; write it to a file in trial.folder"
        )
    return found


def with_extras(notes: Notes, extras: Mapping[Any, object]) -> dict[str, object]:
    """The notes with what came along with a value. The value counts whatever came along, so what cannot be kept is
    replaced by the reason."""
    found = dict(notes)
    for key, value in extras.items():
        name = key if isinstance(key, str) else shown(key)
        try:
            found = with_note(found, name, value)
        except ObjectiveError as error:
            found[printable(name)[:LONGEST_KEY] or "?"] = f"not kept: {str(error)[:200]}"
    return found


def key_of(key: object) -> str:
    """The name of a note; ObjectiveError if it is no text of 1 to LONGEST_KEY characters."""
    name = text_of(key)
    if name is None or not name.strip() or len(name) > LONGEST_KEY or "\0" in name:
        raise ObjectiveError(f"the key of a note is a text of 1 to {LONGEST_KEY} characters, not {shown(key)}")
    return name


def plain(value: object) -> object:
    """The value as JSON has it, NumPy's numbers and arrays too; NaN and infinity, which JSON has not, as a text."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # a scalar of NumPy or torch
    elif isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, str):
        return printable(str.__str__(value))
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Mapping):
        return {_inner_key(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    raise TypeError(f"{shown(value)} is nothing that JSON has")


def _inner_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {shown(key)} is no text")
    return printable(str.__str__(key))
