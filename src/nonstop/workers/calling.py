"""How an objective is called: with the params, and with the trial if it takes one.

The signature decides, once and before the run. The trial is passed
- to a parameter named `trial`, wherever it stands behind the first: also if it has a default, or follows a `*`;
- else as the second argument, if the second positional parameter has no default.
Otherwise the params are all that is passed: to `f(params)`, `f(params, data=DATA)`, `f(*args, **kwargs)`, and to
builtins and the like that have no signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from nonstop.workers.running import RunningTrial

_NAME = "trial"
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Takes(Enum):
    """How an objective takes the trial."""

    NOT = "not at all"
    SECOND = "as its second argument"
    NAMED = "as trial=..."


@dataclass(frozen=True, slots=True)
class Called:
    """An objective that is called with params and trial, whatever it takes itself."""

    objective: Callable[..., object]
    takes: Takes

    def __call__(self, params: dict[str, Any], trial: RunningTrial | None = None) -> object:
        """What the objective returns."""
        if trial is None or self.takes is Takes.NOT:
            return self.objective(params)
        return self.objective(params, trial=trial) if self.takes is Takes.NAMED else self.objective(params, trial)


def takes_trial(objective: Callable[..., object]) -> Takes:
    """What the signature of an objective says."""
    try:
        first, *others = inspect.signature(objective).parameters.values()
    except Exception:  # it has none, or takes nothing, or its class does not want to be asked
        return Takes.NOT
    if any(parameter.name == _NAME and parameter.kind in _NAMED for parameter in others):
        return Takes.NAMED
    second = others[0] if others and first.kind in _POSITIONAL else None
    if second is None or second.kind not in _POSITIONAL or second.default is not inspect.Parameter.empty:
        return Takes.NOT
    return Takes.SECOND
