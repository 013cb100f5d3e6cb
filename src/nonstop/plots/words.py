"""Words and numbers of users in labels: short, distinct, and never HTML."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence

#: Most characters of a user's text in a label.
WORD = 28


def plain(text: object, most: int = WORD) -> str:
    """A user's text on one line, shortened, for places where Plotly does not interpret HTML. Long names often differ
    only at the end, so the middle is left out."""
    line = " ".join(str(text).split())
    tail = most // 3
    return line if len(line) <= most else f"{line[: most - 1 - tail]}…{line[len(line) - tail :]}"


def escaped(text: str) -> str:
    """The text for places where Plotly interprets HTML."""
    return html.escape(text, quote=False)


def label(text: object, most: int = WORD) -> str:
    """A user's text on one line, shortened and escaped."""
    return escaped(plain(text, most))


def distinct(names: Sequence[str], most: int = WORD) -> list[str]:
    """All names, shortened so that different ones stay different: those that would look the same show where they begin
    to differ, or a number if that does not help."""
    lines = [" ".join(name.split()) for name in names]
    short = [plain(line, most) for line in lines]
    for same in {text for text, count in Counter(short).items() if count > 1}:
        rows = [row for row, text in enumerate(short) if text == same]
        start = _common([lines[row] for row in rows])
        head = max(1, most // 4)
        for row in rows:
            part = lines[row][start : start + most - head - 2]
            more = "…" if start + len(part) < len(lines[row]) else ""
            short[row] = f"{lines[row][:head]}…{part}{more}"
    count = Counter(short)
    seen: Counter[str] = Counter()
    for row, text in enumerate(short):
        if count[text] > 1:
            seen[text] += 1
            short[row] = f"{text} {seen[text]}"
    return short


def _common(lines: Sequence[str]) -> int:
    """How many characters the lines have in common at their beginning."""
    differ = (at for at, letters in enumerate(zip(*lines, strict=False)) if len(set(letters)) > 1)
    return next(differ, min(map(len, lines)))


def fitting(names: Sequence[str], total: int, least: int = 3) -> list[str]:
    """The names, shortened so that they have at most `total` characters together, the longest ones first; none gets
    fewer than `least`."""
    most = max((len(name) for name in names), default=least)
    while most > least and sum(min(len(name), most) for name in names) > total:
        most -= 1
    return distinct(names, most)


def number(value: float, digits: int = 3) -> str:
    """A short number: 0.001, 1e-5, 1000, 2.5e6."""
    text = f"{value:.{digits}g}"
    if "e+0" in text and abs(value) < 99_999.5:
        return f"{float(text):.0f}"
    return re.sub(r"e([+-])0*(\d+)$", lambda found: f"e{found[1].replace('+', '')}{found[2]}", text)


def count(many: int, one: str, more: str | None = None) -> str:
    """A number of things: 1 value, 7 values, 1,200 queries."""
    return f"{many:,} {one if many == 1 else more or f'{one}s'}"
