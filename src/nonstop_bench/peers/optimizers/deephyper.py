"""DeepHyper's CBO with its defaults (extra trees, UCBd, a genetic search), through ask and tell.

This is its asynchronous search without the evaluator: it ignores busy points. Asked twice without a result in between,
it returns the same point twice, so it cannot be used in synchronous runs.
Results are passed on when a point is asked for: tell() fits the model, which counts as time of the suggestion.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from deephyper.hpo import CBO, HpProblem

from nonstop.space import Categorical, Ordinal, Parameter, Space
from nonstop_bench.peers.optimizers.codes import coded, codes_of, decoded
from nonstop_bench.peers.quiet import quiet

_FAILURE = "F"


class DeepHyper:
    """It maximises; a failure is an objective that is a text beginning with F."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._told: list[tuple[dict[str, Any], float | str]] = []
        folder = tempfile.mkdtemp(prefix="deephyper")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        with quiet():
            problem = HpProblem()
            for name, parameter in space.items():
                problem.add_hyperparameter(_hyperparameter(parameter), name)
            self._search = CBO(problem, random_state=seed, log_dir=folder, n_initial_points=1)

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:  # noqa: ARG002
        """The next params to evaluate."""
        with quiet():
            if self._told:
                self._search.tell(self._told)
                self._told = []
            (codes,) = self._search.ask(1)
        return decoded(self._space, codes)

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        self._told.append((coded(self._space, params), _FAILURE if value is None else -value))


def _hyperparameter(parameter: Parameter) -> Any:
    if isinstance(parameter, Categorical | Ordinal):
        return codes_of(parameter)
    return (parameter.low, parameter.high, "log-uniform") if parameter.log else (parameter.low, parameter.high)
