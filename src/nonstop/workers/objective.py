"""What a study evaluates: a Python callable, "module:function", or a shell command with {placeholders}.

Whatever an objective does, evaluate() returns a value or a reason. Only requests to stop are raised.
"""

from __future__ import annotations

import importlib
import math
import numbers
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from nonstop.errors import ObjectiveError, StartError, StudyError
from nonstop.types import Params, Value
from nonstop.workers.command import Command

#: Takes the params of a trial and returns its value; number_of() checks what it returned.
Objective: TypeAlias = Callable[[dict[str, Value]], object]
_LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True)
class Result:
    """What an evaluation gave: a value, or the reason why there is none."""

    #: The value, if the evaluation succeeded.
    value: float | None = None
    #: Why it failed, if it did.
    reason: str | None = None


def evaluate(objective: Objective, params: Params) -> Result:
    """Call the objective. Exceptions become reasons, even SystemExit; not KeyboardInterrupt, StopRequested, and
    StartError, which is not the trial's fault."""
    try:
        return Result(number_of(objective(dict(params))))
    except StartError:
        raise
    except ObjectiveError as error:
        return Result(reason=shortened(str(error)))
    except (Exception, SystemExit) as error:
        return Result(reason=shortened(_described(error)))


def number_of(result: object) -> float:
    """What an objective returned, NumPy and torch scalars too, as a float; ObjectiveError if it is no finite number."""
    if not isinstance(result, numbers.Real) and getattr(result, "shape", None) == ():
        result = result.item()  # type: ignore[attr-defined]  # an array of no dimensions
    if isinstance(result, bool) or not isinstance(result, numbers.Real):
        raise ObjectiveError(f"the objective returned {_shown(result)}, which is not a number")
    value = float(result)
    if not math.isfinite(value):
        raise ObjectiveError(f"the objective returned {value!r}")
    return value


def shortened(reason: str, longest: int = _LONGEST_REASON) -> str:
    """The end of a long reason, where programs usually say what went wrong."""
    return reason if len(reason) <= longest else "… " + reason[-longest:]


def _described(error: BaseException) -> str:
    """Type, message and place of an exception, whatever its __str__ does."""
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be shown)"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name})" if len(frames) > 1 else ""
    return f"{type(error).__name__}: {message}{place}"


def _shown(result: object) -> str:
    try:
        return shortened(repr(result), 100)
    except Exception:
        return f"a {type(result).__name__}"


def objective_of(given: str | Objective) -> Objective:
    """The callable that "module:function" names, in the current folder or on the path; a callable is returned as is."""
    if not isinstance(given, str):
        if not callable(given):
            raise ObjectiveError(f"an objective is a function of the params, or 'module:function', not {given!r}")
        return given
    module_name, colon, path = given.partition(":")
    if not (colon and module_name and path):
        raise ObjectiveError(f"{given!r} is no objective: write 'module:function', such as 'train:objective'")
    found: object = _imported(module_name, given)
    for name in path.split("."):
        if not hasattr(found, name):
            raise ObjectiveError(f"{given!r}: there is no {name!r} in {module_name}")
        found = getattr(found, name)
    if not callable(found):
        raise ObjectiveError(f"{given!r} is not a function but {_shown(found)}")
    return found


def _imported(name: str, given: str) -> object:
    here = os.getcwd()  # noqa: PTH109  (sys.path holds strings)
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise ObjectiveError(f"{given!r}: importing {name} failed: {error}") from error
        hint = f"; write {name[:-3]!r}, without '.py'" if name.endswith(".py") else ""
        raise ObjectiveError(f"{given!r}: there is no module {error.name!r} in {here} or on the path{hint}") from None
    except Exception as error:
        raise ObjectiveError(f"{given!r}: importing {name} failed: {_described(error)}") from error


def limited(objective: Objective, seconds: float | None) -> Objective:
    """The objective with a time limit. A command is killed. A Python function is interrupted by a signal: it has to run
    in the main thread of its process, and code that is not Python is not interrupted."""
    if seconds is None:
        return objective
    if not seconds > 0.0:
        raise StudyError(f"trial_timeout must be a number of seconds > 0, not {seconds!r}")
    if isinstance(objective, Command):
        return replace(objective, timeout=min(seconds, objective.timeout or seconds))
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        raise StudyError(
            "trial_timeout cannot interrupt a Python function in a thread: use worker processes (workers=2 or more, "
            "from the main thread), or a command"
        )
    return _Limited(objective, seconds)


class _TimeUp(BaseException):
    """Not an Exception, so that an objective's `except Exception` does not catch it."""


@dataclass(frozen=True, slots=True)
class _Limited:
    objective: Objective
    seconds: float

    def __call__(self, params: dict[str, Value]) -> object:
        handler, started = signal.signal(signal.SIGALRM, _raise_time_up), time.monotonic()
        others = (0.0, 0.0)  # a timer that was set before, to be restored
        try:
            try:
                others = signal.setitimer(signal.ITIMER_REAL, self.seconds)
                return self.objective(params)
            finally:
                # The alarm may go off until here: the outer try catches that.
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        except _TimeUp:
            raise ObjectiveError(f"stopped after the time limit of {self.seconds:g} s") from None
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
            if others[0] > 0.0:
                left = others[0] - (time.monotonic() - started)
                signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), others[1])


def _raise_time_up(_number: int, _frame: FrameType | None) -> None:
    raise _TimeUp
