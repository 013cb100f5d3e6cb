"""`nonstop replay`."""
from __future__ import annotations
from collections.abc import Sequence
import click

@click.command()
@click.argument("words", nargs=-1, metavar="[URL] STUDY")
def replay(words: Sequence[str]) -> int:
    """Recompute every proposal of a study and compare."""
    return 0
