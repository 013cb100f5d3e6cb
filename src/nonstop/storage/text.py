"""What goes into a storage as text, and comes back as it was: JSON without NaN, floats to the last bit, clean strings.

Every backend uses these, memory too, so that a study cannot be stored in one place and not in another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from nonstop.errors import NonstopError, StudyError, TrialError
from nonstop.types import Params
from nonstop.wording import printable

_JSON = json.JSONEncoder(allow_nan=False)  # json.dumps would make a new one each time

NOT_SHARED = "a study in memory cannot be shared with another process: create it with a URL, such as sqlite:///runs.db"


def encode(what: str, value: Mapping[str, object], error: type[NonstopError] = TrialError) -> str:
    """JSON in ASCII; an error for what JSON cannot hold, NaN and infinity included."""
    try:
        return _JSON.encode(dict(value))
    except (TypeError, ValueError, RecursionError) as cause:
        raise error(f"{what} cannot be stored as JSON: {cause}") from None


def decode(text: str) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(text))


def clean_params(params: Params) -> Params:
    """The params as they will be read back; TrialError for what JSON cannot hold."""
    return cast("Params", json.loads(encode("params", params)))


def decode_all(texts: list[str]) -> list[Any]:
    """What decode gives for each of them, many times faster than one by one."""
    return cast("list[Any]", json.loads(f"[{','.join(texts)}]"))


def study_name(name: str) -> str:
    """The name itself; StudyError if it is empty or no database stores it as it is."""
    if not name or name != printable(name):
        raise StudyError(f"{name!r} cannot be the name of a study: give it at least one printable character")
    return name


def no_study(name: str, names: list[str]) -> StudyError:
    there = ", ".join(repr(known) for known in names) or "none yet"
    return StudyError(f"there is no study {name!r} here; studies: {there}")
