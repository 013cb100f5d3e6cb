"""Values as HTML, for notebooks: a table that is escaped, has no script, and takes its colours from the page.

Notebooks remove style sheets and scripts from what they do not trust, so every style is on its element.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Final

from nonstop.wording import scalar, visible

#: A grey that shows on white and on black.
_LINE: Final = "1px solid rgba(128,128,128,0.35)"
_CELL: Final = f"padding:2px 10px 2px 0;text-align:left;vertical-align:top;border:0;border-bottom:{_LINE}"
_LONGEST: Final = 300  # characters of a cell
_SHORT: Final = 24  # characters that are not broken into lines


def text(value: object, longest: int = _LONGEST) -> str:
    """A value as text that HTML and a reader cannot mistake: six digits of a float, a long text shortened."""
    written = visible(scalar(value) if isinstance(value, float | str) else _json(value), keep="\n")
    return html.escape(written if len(written) <= longest else f"{written[:longest]}…")


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


def heading(words: str, rest: str = "") -> str:
    """A line above a table; both are HTML already."""
    return f'<div style="margin:4px 0"><b>{words}</b>{" · " if rest else ""}{rest}</div>'


def table(rows: Iterable[Sequence[str]], columns: Sequence[str] = ()) -> str:
    """Rows of cells that are HTML already. Without names of columns, the first cell of each row is its name."""
    head = "".join(_cell("th", name) for name in columns)
    body = "".join(
        "<tr>" + "".join(_cell("td" if columns or place else "th", cell) for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if columns else ""
    style = "border-collapse:collapse;background:none;color:inherit;margin:4px 0"
    return f'<table style="{style}">{top}<tbody>{body}</tbody></table>'


def framed(*parts: str) -> str:
    """The parts, one below the other; what is wider than the page scrolls by itself."""
    return f'<div style="overflow-x:auto;max-width:100%">{"".join(parts)}</div>'


def folded(title: str, content: str) -> str:
    """Content that a click on its title shows; both are HTML already."""
    return f'<details style="margin:4px 0"><summary>{title}</summary>{content}</details>'


def _cell(tag: str, content: str) -> str:
    """A short cell, such as a number, stays on one line."""
    wrap = "white-space:nowrap" if tag == "th" or len(content) <= _SHORT else "overflow-wrap:anywhere"
    return f'<{tag} style="{_CELL};font-weight:{600 if tag == "th" else 400};{wrap}">{content}</{tag}>'
