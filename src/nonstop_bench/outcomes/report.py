"""What many runs found, as Markdown: ranks, pairs won, regrets problem by problem, times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from nonstop_bench.outcomes.catalogue import CONSTRAINED, SEVERAL
from nonstop_bench.outcomes.problem import Mask
from nonstop_bench.outcomes.race import EVALUATIONS, WORKERS, Run
from nonstop_bench.outcomes.standing import Standing, error, standing, wilson
from nonstop_bench.records import Array
from nonstop_bench.tables import markdown

_SETTING = f"""# Several outcomes

Made by `make bench-outcomes`. {EVALUATIONS} evaluations after a start of 2 (d + 1) quasi-random points that all share,
q = {WORKERS} asynchronous workers with log-normal durations on the virtual clock.

Regrets are shares of the largest there is: with constraints that of the worst feasible value, which is also scored
while nothing feasible is known; with several objectives the whole front's hypervolume. Logarithms are to the base of
10, of regrets of at least 1e-9. Mean rank from 1 (best) over the pairs of problem and seed that all ran, in brackets
its standard error over the problems. Pairs won: over the pairs that both ran, ties count half; in brackets Wilson's
interval at 95 %, and p of Wilcoxon's signed-rank test of the logarithms. Suggestion: median of the runs' median
processor times. BoTorch and Optuna's GPSampler have cheaper settings than their defaults (`botorches.py` and
`optunas.py` in `src/nonstop_bench/outcomes` say which)."""


def page(runs: Sequence[Run]) -> str:
    """The whole page."""
    versions = sorted({run.version for run in runs if run.version})
    parts = [_SETTING, f"Versions: {', '.join(versions)}."]
    for title, problems in (("Constraints", CONSTRAINED), ("Several objectives", SEVERAL)):
        if any(run.problem in problems for run in runs):
            parts += _section(title, standing(runs, problems))
    return "\n\n".join(parts) + "\n"


def _section(title: str, found: Standing) -> list[str]:
    seeds = sorted({seed for (_, seed), shared in zip(found.pairs, found.shared, strict=True) if shared})
    return [
        f"## {title}",
        f"{int(found.shared.sum())} pairs of problem and seed that all ran, seeds {seeds[0]} to {seeds[-1]}.",
        _overall(found),
        "Median logarithm of the regret at the end, in brackets the number of seeds:",
        _medians(found),
        "Of the pairs that both ran, problem by problem, the share won by " + found.names[found.reference] + ":",
        _shares(found),
    ]


def _overall(found: Standing) -> str:
    by_problem = found.ranks_by_problem()
    rows = []
    for i in found.order:
        own = [run for run in found.runs.values() if run.contender == found.names[i]]
        rows.append(
            [
                found.names[i],
                f"{found.ranks[i]:.2f} ({error(by_problem[:, i]):.2f})",
                _won(found, i),
                str(len(found.won(i))),
                f"{1e3 * np.median([run.seconds for run in own]):.0f}",
            ]
        )
    won = f"pairs won by {found.names[found.reference]}"
    return markdown(["", "mean rank", won, "pairs", "suggestion, ms"], rows)


def _won(found: Standing, i: int) -> str:
    if i == found.reference:
        return "–"
    won = found.won(i)
    low, high = wilson(won)
    return f"{won.mean():.2f} ({low:.2f} to {high:.2f}; p = {_signed_rank(found, i):.1e})"


def _signed_rank(found: Standing, i: int) -> float:
    logarithms = np.log10(found.regrets[:, [found.reference, i]])
    differences = np.diff(logarithms[np.isfinite(logarithms).all(axis=1)], axis=1)[:, 0]
    return math.nan if len(differences) < 2 else float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def _medians(found: Standing) -> str:
    def cell(regrets: Array) -> str:
        known = regrets[np.isfinite(regrets)]
        return f"{np.median(np.log10(known)):.2f} ({len(known)})" if len(known) else "–"

    return _table(found, lambda rows, i: cell(found.regrets[rows, i]))


def _shares(found: Standing) -> str:
    ours = found.regrets[:, found.reference]

    def cell(rows: Mask, i: int) -> str:
        theirs = found.regrets[:, i]
        both = rows & np.isfinite(ours) & np.isfinite(theirs)
        if i == found.reference or not both.any():
            return "–"
        return f"{np.mean((ours < theirs)[both] + 0.5 * (ours == theirs)[both]):.2f}"

    return _table(found, cell)


def _table(found: Standing, cell: Callable[[Mask, int], str]) -> str:
    """A row for every contender, a column for every problem."""
    problems = [name for name in found.problems if found.of(name).any()]
    rows = [[found.names[i], *(cell(found.of(name), i) for name in problems)] for i in found.order]
    return markdown(["", *problems], rows)
