"""What a storage keeps as text and reads back unchanged: JSON without NaN, exact floats, printable strings.

Every backend uses these functions, memory too, so that all of them accept and refuse the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from nonstop.errors import NonstopError, StudyError, TrialError
from nonstop.types import Params
from nonstop.wording import printable, shown

_JSON = json.JSONEncoder(allow_nan=False)  # json.dumps would create one with every call

NOT_SHARED = "a study in memory cannot be shared with another process: create it with a URL, such as sqlite:///runs.db"


def encode(what: str, value: Mapping[str, object], error: type[NonstopError] = TrialError) -> str:
    """JSON in ASCII; raises `error` for what JSON cannot hold, NaN and infinity included. `what` names it."""
    try:
        return _JSON.encode(dict(value))
    except (TypeError, ValueError, RecursionError) as cause:
        raise error(f"{what} cannot be stored as JSON: {cause}") from None


def decode(text: str) -> dict[str, object]:
    """What encode() was given."""
    return cast("dict[str, object]", json.loads(text))


def clean_params(params: Params) -> Params:
    """The params as they will be read back; TrialError for what JSON cannot hold."""
    return cast("Params", json.loads(encode("params", params)))


def decode_all(texts: list[str]) -> list[Any]:
    """What decode() gives for each text, many times faster than one by one."""
    return cast("list[Any]", json.loads(f"[{','.join(texts)}]"))


def study_name(name: str) -> str:
    """The name; StudyError if it is empty, or has characters that a database does not store."""
    if not name or name != printable(name):
        raise StudyError(f"{name!r} cannot be the name of a study: give it at least one printable character")
    return name


def no_study(name: str, names: list[str]) -> StudyError:
    """The error for a study that does not exist, with the names of those that do."""
    most = 20
    there = ", ".join(shown(known) for known in names[:most]) or "none yet"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return StudyError(f"there is no study {shown(name)} here; studies: {there}{more}")
