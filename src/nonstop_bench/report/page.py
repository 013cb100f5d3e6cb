"""The page: a template whose numbers and verdicts are placeholders, filled from results.

A placeholder is {claim.key}: claim is a name in CLAIMS, key one of those that its function returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from nonstop_bench.report import design, model, origins, queries, tasks, walked, wins
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import Results
from nonstop_bench.statistics import ALPHA, LEVEL, RESAMPLES

Claim: TypeAlias = Callable[[Results, Pairs], dict[str, str]]

#: What every claim says, by its name and key.
Said: TypeAlias = Mapping[str, Mapping[str, str]]

TEMPLATE: Final = Path(__file__).with_name("paper.md")
CLAIMS: Final[Mapping[str, Claim]] = {
    "tables": wins.tables,
    "rejections": wins.rejections,
    "price": wins.price,
    "synthetic": tasks.synthetic,
    "high": tasks.high_dimension,
    "real": tasks.real,
    "scaling": tasks.scaling,
    "long": tasks.longer,
    "repeats": queries.repeats,
    "transition": queries.transition,
    "sequential": queries.sequential,
    "further": queries.further,
    "lengthscales": model.lengthscales,
    "synchronous": model.synchronous,
    "theory": model.theory,
    "walk": walked.walk,
    "designed": design.experiment,
    "origins": origins.origins,
    "method": lambda results, pairs: _method(),  # noqa: ARG005
}
_PLACEHOLDER = re.compile(r"\{([a-z]+)\.([a-z0-9.]+)\}")


def _method() -> dict[str, str]:
    return {
        "level": f"{100 * LEVEL:.0f} %",
        "resamples": f"{RESAMPLES:,}",
        "alpha": f"{ALPHA:g}",
    }


def values(results: Results, compared: Pairs) -> Said:
    """What every claim says."""
    return {name: claim(results, compared) for name, claim in CLAIMS.items()}


def filled(template: str, said: Said) -> str:
    """The template with every placeholder replaced; KeyError names one that no claim knows."""
    return _PLACEHOLDER.sub(lambda match: said[match[1]][match[2]], template)


def page(results: Results, compared: Pairs) -> str:
    """The page in Markdown."""
    return filled(TEMPLATE.read_text(encoding="utf-8"), values(results, compared))
