"""The tasks on which the default of nonstop is chosen, and the held-out tasks on which it was evaluated once.

The split was fixed before anything was run on the held-out tasks. Each kind of task is on both sides, with different
functions: smooth, rugged, heavy-tailed or in a curved valley, flat, noisy, discrete, with the optimum at the
border, of a high dimension. Wherever the formula allows it the optimum is shifted, and the axes are rotated, so that
neither the centre nor a diagonal is special.
"""

from __future__ import annotations

from typing import Final

from nonstop_bench.case import Case


def _case(problem: str, noise: float = 0.0) -> Case:
    return Case(problem, q=8, horizon=None, evaluations=100, noise=noise)


CHOOSING: Final = (
    _case("hartmann-6"),
    _case("michalewicz-5"),
    _case("shifted-ackley-10"),
    _case("log-rosenbrock-4"),
    _case("rotated-levy-6"),
    _case("mixed-ackley-6"),
    _case("slope-6"),
    _case("gp-4-0", noise=0.1),
    _case("pest-control"),
)
HELD_OUT: Final = (
    _case("shekel"),
    _case("rotated-styblinski-tang-8"),
    _case("rotated-rastrigin-4"),
    _case("goldstein-price"),
    _case("rotated-powell-8"),
    _case("integer-rosenbrock-4"),
    _case("egg-holder"),
    _case("hartmann-3", noise=0.1),
    _case("embedded-branin-12"),
)
