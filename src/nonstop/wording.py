"""Durations, numbers and params as people write and read them."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Final

from nonstop.types import Params

_UNITS: Final = (86400.0, 3600.0, 60.0, 1.0)
_DURATION: Final = re.compile(r"(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s?)?")

# As SQLAlchemy parses a password: everything between the first colon after the user and the next @, spaces included.
# If more @ follow before the path, they were meant to be a part of it.
_SCHEMES: Final = "postgres(?:ql)?|sqlite|mysql|mariadb|mssql|oracle|redis|mongodb"
_DATABASE_PASSWORD: Final = re.compile(
    rf"(\b(?:{_SCHEMES})(?:\+\w+)?://[^\s:/]*:)[^@]+(?:@[^@/?\s:]*)*(?=@)", re.IGNORECASE
)
_PASSWORD: Final = re.compile(r"([a-z][a-z0-9+.-]{0,40}://[^:/@]*:)[^@]+(?=@)", re.IGNORECASE)
_SECRETS: Final = "(?:password|sslpassword|passfile|sslkey)="
_QUERY_PASSWORD: Final = re.compile(rf"({_SECRETS})[^&\s'\"]+", re.IGNORECASE)
_LAST_QUERY_PASSWORD: Final = re.compile(rf"({_SECRETS})[^&]+", re.IGNORECASE)
_IS_URL: Final = re.compile(r"(?:--?[\w-]+=)?[a-z][a-z0-9+.-]*://", re.IGNORECASE)

#: The end of a reason that names a file: see nonstop.workers.output.
_FILE: Final = re.compile(r" \[see [^\n]*\]\Z")


def seconds_of(duration: object) -> float | None:
    """The seconds of 90, "90s", "1h30m" or "2 d"; None for what is not a positive, finite duration."""
    if isinstance(duration, str):
        found = _DURATION.fullmatch("".join(duration.split()))
        try:
            parts = [float(part or 0.0) for part in found.groups()] if found else []
        except ValueError:  # 1.2.3
            return None
        seconds = math.fsum(part * unit for part, unit in zip(parts, _UNITS, strict=False))
    elif isinstance(duration, int | float) and not isinstance(duration, bool):
        try:
            seconds = float(duration)
        except OverflowError:
            return None
    else:
        return None
    return seconds if 0.0 < seconds < math.inf else None


def duration(seconds: float) -> str:
    """Seconds in a readable form: 0.4 s, 12 s, 3m 05s, 2h 07m, 4d 03h."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m" if hours < 48 else f"{hours // 24}d {hours % 24:02d}h"


def about(seconds: float) -> str:
    """An estimate of seconds, no finer than it can be: 5 s, 40 s, 12 min, 2.5 h, 3 days."""
    if seconds < 90.0:
        return f"{max(1, round(seconds))} s" if seconds < 10.0 else f"{5 * round(seconds / 5.0)} s"
    if seconds < 5400.0:
        return f"{round(seconds / 60.0)} min"
    number, unit = (seconds / 3600.0, "h") if seconds < 129600.0 else (seconds / 86400.0, "days")
    return f"{number:.1f}".removesuffix(".0") + f" {unit}" if number < 9.95 else f"{number:,.0f} {unit}"


def moment(timestamp: float | None) -> str:
    """A timestamp in local time with its zone, for people: 2026-01-31 14:05:09 CET."""
    if timestamp is None:
        return "-"
    return datetime.fromtimestamp(timestamp).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


def iso(timestamp: float | None) -> str | None:
    """A timestamp in UTC, for programs: 2026-01-31T13:05:09.250Z."""
    if timestamp is None:
        return None
    return datetime.fromtimestamp(timestamp, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def scalar(value: object) -> str:
    """Six digits of a float; strings as they are, other scalars as in JSON."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)


def assignments(params: Params | None) -> str:
    """Params in a readable form, in one line for a terminal: lr=0.001, depth=7."""
    return visible(", ".join(f"{name}={scalar(value)}" for name, value in (params or {}).items()))


def share(part: float) -> str:
    """A percentage with one decimal, rounded down: 100.0 % is all."""
    return f"{math.floor(min(max(part, 0.0), 1.0) * 1000.0 + 1e-9) / 10.0:.1f} %"


def shown(value: object) -> str:
    """The repr in one line, shortened if it is long; the type, if the object has no repr that works."""
    try:
        text = repr(value)
    except Exception:
        if type(value) is int:  # Python writes no integer of more than 4,300 digits
            return f"a number of {int(value.bit_length() * math.log10(2.0)) + 1} digits"
        return f"a {type(value).__name__}"
    line = text if text.isprintable() else " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= 200 else f"{line[:200]}..."


def hint(name: object, known: Iterable[str]) -> str:
    """The known name that an unknown one resembles, or all of them: the end of an error message."""
    names = list(known)
    close = get_close_matches(name[:200], names, n=1) if isinstance(name, str) else []
    return f"{close[0]!r}, perhaps?" if close else f"one of {shown(names)}"


def cause_of(reason: str | None) -> str:
    """Why a trial failed, the same for all trials that failed so: without the file that the reason names."""
    return _FILE.sub("", reason or "") or "no reason given"


def printable(text: str) -> str:
    """The text without what a database may not store: NUL characters and lone surrogates are replaced."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def is_text(text: str) -> bool:
    """Can it be written as UTF-8? Lone surrogates cannot; Python has them where bytes were no characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def visible(text: str, keep: str = "") -> str:
    """The text with everything escaped that a terminal would obey or hide instead of showing it, but for what to keep.

    These are control characters (\\x1b begins a command to the terminal), format characters (\\u202e reverses what
    follows), line separators and lone surrogates."""
    if text.isprintable():
        return text
    return "".join(char if char in keep or _is_visible(char) else _escaped(char) for char in text)


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def without_passwords(text: str) -> str:
    """The text with the passwords of all URLs masked."""
    if "@" in text:
        lines = (_masked(_DATABASE_PASSWORD, line) for line in text.split("\n"))
        text = re.sub(r"\S+", lambda word: _masked(_PASSWORD, word[0]), "\n".join(lines))
    return _QUERY_PASSWORD.sub(r"\1***", text)


def _masked(pattern: re.Pattern[str], part: str) -> str:
    """Masked up to the last @: every search for the end of a password succeeds then, which keeps the time linear."""
    before, at, rest = part.rpartition("@")
    return pattern.sub(r"\1***", before + at) + rest


def word_without_passwords(word: str) -> str:
    """The same for one word of a command line: where it is a URL, a password in its query may contain anything."""
    return without_passwords(_LAST_QUERY_PASSWORD.sub(r"\1***", word) if _IS_URL.match(word) else word)
