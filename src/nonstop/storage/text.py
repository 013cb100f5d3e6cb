"""What a storage keeps as text and reads back unchanged: JSON without NaN, exact floats, printable strings.

Every backend uses these functions, memory too, so that all of them accept and refuse the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from nonstop.errors import NonstopError, StudyError, TrialError
from nonstop.trials.messages import Insert, Request
from nonstop.types import Notes, Params
from nonstop.wording import is_text, printable, shown

_ESCAPED = "\\ud"  # in JSON, the beginning of every surrogate, and of some other characters
_JSON = json.JSONEncoder(allow_nan=False)  # json.dumps would create one with every call

#: Characters of a study's name. PostgreSQL has no room for more than some 2,700 bytes in an index.
LONGEST_NAME = 200
NOT_SHARED = "a study in memory cannot be shared with another process: create it with a URL, such as sqlite:///runs.db"


def encode(what: str, value: Mapping[str, object], error: type[NonstopError] = TrialError) -> str:
    """JSON in ASCII; raises `error` for what JSON cannot hold, NaN and infinity included. `what` names it."""
    try:
        text = _JSON.encode(dict(value))
        if _ESCAPED in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as cause:  # a ValueError, too
        near = shown(cause.object[max(0, cause.start - 20) : cause.end])
        raise error(f"{what} cannot be stored: half of a surrogate pair is no character, in {near}") from None
    except (TypeError, ValueError, RecursionError) as cause:
        raise error(f"{what} cannot be stored as JSON: {cause}") from None
    return text


def decode(text: str) -> dict[str, object]:
    """What encode() was given; ValueError or TypeError if the text cannot be that."""
    found = _loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"no JSON object, but a {type(found).__name__}")
    return found


def clean_params(params: Params) -> Params:
    """The params as they will be read back; TrialError for what JSON cannot hold."""
    return cast("Params", json.loads(encode("params", params)))


def clean_notes(notes: Notes) -> Notes:
    """The notes as they will be read back; TrialError for what JSON cannot hold."""
    return decode(encode("notes", notes))


def clean_request(request: Request) -> Request:
    """The request, its fixed params sorted and as they will be read back; TrialError for what JSON cannot hold."""
    return (
        request if request.fixed is None else replace(request, fixed=dict(sorted(clean_params(request.fixed).items())))
    )


def clean_inserts(given: Sequence[Insert]) -> list[Insert]:
    """The insertions as they will be read back; TrialError for what JSON cannot hold."""
    texts = [encode("params", one.params) for one in given]
    return [
        replace(
            one,
            params=params,
            notes=clean_notes(one.notes) if one.notes else {},
            fixed=None if one.fixed is None else dict(sorted(clean_params(one.fixed).items())),
        )
        for one, params in zip(given, decode_all(texts), strict=True)
    ]


def decode_all(texts: list[str]) -> list[Any]:
    """What decode() gives for each text, many times faster than one by one."""
    return cast("list[Any]", _loads(f"[{','.join(texts)}]"))


def _loads(text: str) -> object:
    value = json.loads(text)
    return _whole(value) if _ESCAPED in text else value


def _whole(value: object) -> object:
    """The value with lone surrogates, which earlier versions stored, written as they are in JSON: \\ud800."""
    if isinstance(value, str):
        return value if is_text(value) else value.encode(errors="backslashreplace").decode()
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(part) for key, part in value.items()}
    return value


def study_name(name: str) -> str:
    """The name; StudyError if it is empty, or has characters that a database does not store."""
    if not name or name != printable(name):
        raise StudyError(f"{name!r} cannot be the name of a study: give it at least one printable character")
    return name


def new_study_name(name: str) -> str:
    """The name for a new study; StudyError also if it is too long."""
    if len(study_name(name)) > LONGEST_NAME:
        raise StudyError(f"a study's name has at most {LONGEST_NAME} characters, not {len(name)}: {name[:40]!r}…")
    return name


def no_id(study: int) -> StudyError:
    """The error for a study that does not exist, or not any more."""
    return StudyError(f"there is no study with id {study} here: was it deleted?")


def no_study(name: str, names: list[str]) -> StudyError:
    """The error for a study that does not exist, with the names of those that do."""
    most = 20
    there = ", ".join(shown(known) for known in names[:most]) or "none yet"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return StudyError(f"there is no study {shown(name)} here; studies: {there}{more}")
