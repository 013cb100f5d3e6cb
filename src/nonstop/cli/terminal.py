"""Printing: results on stdout, everything else on stderr, passwords nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

import click

from nonstop.wording import visible, without_passwords

# What json.dumps leaves as it is, and a terminal may obey: in strings only, where it can be escaped.
_UNESCAPED = re.compile("[^\\x00-\\x7e]|\\x7f")


def echo(text: str = "", err: bool = False) -> None:
    """A line on stdout, or on stderr. Whatever it contains, the terminal shows it and obeys nothing."""
    click.echo(visible(without_passwords(text), keep="\n\t"), err=err)


def echo_error(text: str) -> None:
    """One line on stderr, red in a terminal, prefixed with `nonstop:`. If the text ends with a caret that points at a
    character, its last two lines stay as they are."""
    what, *pointer = text.rsplit("\n", 2) if text.endswith("^") else [text]
    click.secho(f"nonstop: {visible(' '.join(without_passwords(what).split()))}", fg="red", err=True)
    for line in pointer:
        echo(line, err=True)


def echo_json(value: object) -> None:
    """Indented JSON on stdout; without NaN and infinity, which JSON does not have, and with escapes as in visible()."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    click.echo(_UNESCAPED.sub(lambda found: found[0] if visible(found[0]) == found[0] else _in_json(found[0]), text))


def echo_json_line(value: object) -> None:
    """JSON on one line of stdout, in ASCII."""
    click.echo(json.dumps(value, allow_nan=False))


def _in_json(char: str) -> str:
    return json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f"


def echo_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Left-aligned columns, each as wide as its widest cell."""
    lines = [header, *([visible(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
