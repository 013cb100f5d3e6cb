"""Printing: results on stdout, everything else on stderr, passwords nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

import click

# As SQLAlchemy parses a password: everything between the first colon after the scheme and the first @.
_PASSWORD = re.compile(r"([a-z][a-z0-9+.]*://[^\s:/@]*:)[^@\s]+(?=@)", re.IGNORECASE)
_QUERY = re.compile(r"((?:password|sslpassword|passfile|sslkey)=)[^&\s'\"]+", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """The text with the passwords of all URLs masked."""
    return _QUERY.sub(r"\1***", _PASSWORD.sub(r"\1***", text))


def echo(text: str = "", err: bool = False) -> None:
    """One line on stdout, or on stderr."""
    click.echo(without_passwords(text), err=err)


def echo_error(text: str) -> None:
    """One line on stderr, red in a terminal, prefixed with `nonstop:`."""
    click.secho(f"nonstop: {' '.join(without_passwords(text).split())}", fg="red", err=True)


def echo_json(value: object) -> None:
    """Indented JSON on stdout; without NaN and infinity, which JSON does not have."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def echo_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Left-aligned columns, each as wide as its widest cell."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
