"""Text, cells, tables and sections of a page. Words of users are always text in them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from nonstop.wording import scalar

#: Characters of a text in a cell that are shown without pointing at it.
WIDTH: Final = 32


def section(title: str, body: str) -> str:
    """A section of the page; the body is HTML."""
    return f"<section>\n<h2>{text(title)}</h2>\n{body}\n</section>"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    header: bool = True,
    numbers: bool = False,
    tall: bool = False,
) -> str:
    """A table that scrolls if it is too wide, or too tall; its first column has the headings of the rows."""
    top = f"<thead><tr>{''.join(f'<th>{text(cell)}</th>' for cell in head)}</tr></thead>" if header else ""
    body = "".join(
        f'<tr><th scope="row">{html_of(first)}</th>{"".join(f"<td>{html_of(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    scroll = "scroll tall" if tall else "scroll"
    return f'<div class="{scroll}"><table{" class=numbers" if numbers else ""}>{top}<tbody>{body}</tbody></table></div>'


def embedded(name: str, figure: str) -> str:
    """The figure as data, not as script. < is escaped, so that no text of a user can close the element."""
    safe = figure.replace("<", "\\u003c")
    return f'<script type="application/json" id="data-{name}">{safe}</script>'


def text(raw: str) -> str:
    """A text as HTML."""
    return html.escape(raw)


class Html(str):
    """Text that is HTML already, made here."""


def html_of(cell: str) -> str:
    """A text, or what is HTML already."""
    return cell if isinstance(cell, Html) else text(cell)


def value_cell(value: object) -> str:
    """A value as a cell: a number is never broken into two lines, a text may be."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Html(f'<span class="n">{scalar(value)}</span>') if number else scalar(value)


def cell(value: object) -> str:
    """A number is aligned to the right, a text to the left, and a long one is whole when pointed at."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<td>{scalar(value)}</td>"
    word = scalar(value)
    whole = f' title="{text(word)}"' if len(word) > WIDTH else ""
    return f"<td class=t{whole}>{text(word)}</td>"


def moment_of(seconds: float | None) -> str:
    """A timestamp in UTC."""
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
