"""What is printed, and how: results on stdout, everything else on stderr, passwords nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

import click

# What SQLAlchemy takes for a password: all between the first colon after the scheme and the first @.
_PASSWORD = re.compile(r"([a-z][a-z0-9+.]*://[^\s:/@]*:)[^@\s]+(?=@)", re.IGNORECASE)
_QUERY = re.compile(r"((?:password|sslpassword|passfile|sslkey)=)[^&\s'\"]+", re.IGNORECASE)


def scrubbed(text: str) -> str:
    """The text with the passwords of all URLs in it masked."""
    return _QUERY.sub(r"\1***", _PASSWORD.sub(r"\1***", text))


def say(text: str = "", err: bool = False) -> None:
    click.echo(scrubbed(text), err=err)


def complain(text: str) -> None:
    """One line on stderr, red in a terminal."""
    click.secho(f"nonstop: {' '.join(scrubbed(text).split())}", fg="red", err=True)


def say_json(value: object) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def say_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns as wide as they need to be."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
