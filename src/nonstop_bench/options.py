"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def _results(folder: str) -> Callable[[Any], Any]:
    return click.option(
        "--results",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(folder),
        show_default=True,
        help="The folder of result files.",
    )


#: Where runs go, and come from.
RESULTS = _results("runs")
#: The same for commands that look at what is committed.
COMMITTED = _results("benchmarks/results")
WORKERS = click.option("--workers", type=click.IntRange(1), help="Processes.  [default: one per core]")
