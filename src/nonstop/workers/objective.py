"""What a study evaluates: a Python callable, "module:function", or a shell command with {placeholders}.

Whatever an objective raises or returns, evaluate() returns a value or a reason: whether a signal interrupted it is for
the StopFlag to say, not for the exception. Code of the objective runs when its exceptions are shown and its results are
converted, too, and may do there what it likes.
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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeAlias

import numpy as np

from nonstop.arguments import text_of
from nonstop.errors import ObjectiveError, StartError, StudyError
from nonstop.outcomes.goals import VALUE, Goals
from nonstop.types import Notes, Outcomes, Params
from nonstop.workers.calling import Called, takes_trial
from nonstop.workers.command import Command
from nonstop.workers.notes import with_extras
from nonstop.workers.running import RunningTrial, noted
from nonstop.workers.stopping import REPEAT, is_handling

#: Takes the params of a trial, a dict, and returns its value; number_of() checks what it returned. Any, so that a
#: function may declare what it knows of the params: dict[str, float], Mapping[str, object], a TypedDict.
#: calling.py says when it gets the trial, too.
Objective: TypeAlias = Callable[[Any], object] | Callable[[Any, RunningTrial], object]
_PLAIN = Goals.of("minimize")  # a value is all that is asked for
_OURS = (__file__, Called.__call__.__code__.co_filename)  # files that are not the place of an objective's error
_LONGEST_REASON = 2000
_LONGEST_MESSAGE = 1500  # of an exception: its class and its place are part of the reason too


@dataclass(frozen=True, slots=True)
class Result:
    """What an evaluation gave: a value, or several outcomes, or the reason why there are none."""

    #: The value, if the evaluation succeeded and there is one objective.
    value: float | None = None
    #: Why it failed; None if it succeeded.
    reason: str | None = None
    #: What it told besides its value.
    notes: Notes = field(default_factory=dict)
    #: Objectives and constraints by name, if the study has them.
    outcomes: Outcomes = field(default_factory=dict)


def evaluate(objective: Objective, params: Params, trial: RunningTrial | None = None, goals: Goals = _PLAIN) -> Result:
    """What the objective gives. It is called with the trial if it takes one. Whatever it raises becomes a reason, even
    KeyboardInterrupt (see StopFlag.interrupted). Only StartError is raised: it is not the trial's fault."""
    process = os.getpid()
    error: BaseException | None = None
    try:
        with np.errstate():  # what the objective sets with np.seterr() is not for our arithmetic
            result = _result(called(objective)(dict(params), trial), trial, goals)
    except BaseException as raised:
        error, result = raised, Result(reason=_reason(raised), notes={} if trial is None else trial.notes)
    if os.getpid() != process:
        _end_child(error)
    if isinstance(error, StartError):
        raise error
    return result


def _result(returned: object, trial: RunningTrial | None, goals: Goals) -> Result:
    """A number, if that is all that the study asks for, or a mapping with all outcomes: all else in it is noted."""
    if not isinstance(returned, Mapping):
        if len(goals.names) > 1:
            raise ObjectiveError(f"the objective returned {_shown(returned)}, not a mapping with {_listed(goals)}")
        returned = {goals.names[0]: returned}
    for name in goals.names:
        if name not in returned:
            raise ObjectiveError(f"the objective returned {_shown(returned)}, which has no {name!r}")
    outcomes = {name: number_of(returned[name], name if goals.named else None) for name in goals.names}
    extras = {key: extra for key, extra in returned.items() if key not in outcomes}
    if trial is not None:
        noted(trial, extras)
    notes = with_extras({}, extras) if trial is None else trial.notes
    return Result(goals.value_of(outcomes), notes=notes, outcomes=outcomes if goals.named else {})


def _listed(goals: Goals) -> str:
    return ", ".join(map(repr, goals.names))


def _end_child(error: BaseException | None) -> NoReturn:
    """End a process that the objective forked and that left the objective: it must not go on as a second worker."""
    code = 0 if error is None else 1
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    elif error is not None:
        traceback.print_exception(error)
    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code & 255)


def number_of(result: object, outcome: str | None = None) -> float:
    """What an objective returned, NumPy and torch scalars too, as a float; ObjectiveError if it is no finite number,
    which says for which outcome."""
    said = "the objective returned" if outcome is None else f"for the outcome {outcome!r}, the objective returned"
    if not isinstance(result, numbers.Real) and getattr(result, "shape", None) == ():
        result = result.item()  # type: ignore[attr-defined]  # an array of no dimensions
    if isinstance(result, bool) or not isinstance(result, numbers.Real):
        raise ObjectiveError(f"{said} {_shown(result)}, which is not a number")
    value = float(result)
    if not math.isfinite(value):
        raise ObjectiveError(f"{said} {value!r}")
    return value


def shortened(reason: str, longest: int = _LONGEST_REASON) -> str:
    """The end of a long reason, where programs usually say what went wrong."""
    # The method of str itself, as the reason may be of a class of the objective's; it gives a plain str.
    end = str.__getitem__(reason, slice(-longest, None))
    return end if str.__len__(reason) <= longest else f"… {end}"


def _reason(error: BaseException) -> str:
    """What an exception says, whatever its methods do."""
    try:
        return shortened(str(error)) if type(error) is ObjectiveError else _described(error)
    except BaseException:  # a request to stop, too: its flag is set
        return "an exception that cannot be described"


def _described(error: BaseException) -> str:
    """Type, message and place of an exception, whatever its __str__ does."""
    frames = [found for found in traceback.walk_tb(error.__traceback__) if found[0].f_code.co_filename not in _OURS]
    place = ""
    if frames:
        frame, line = frames[-1]
        place = f" ({Path(frame.f_code.co_filename).name}:{line} in {frame.f_code.co_name})"
    return f"{_class_name(error)}: {_message(error)}{place}"


def _message(error: BaseException) -> str:
    try:
        return shortened(str(error), _LONGEST_MESSAGE)
    except BaseException:  # a request to stop, too: its flag is set
        return "(its message cannot be shown)"


def _class_name(value: object) -> str:
    """The name of the class, past whatever a metaclass makes of `__name__`."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return shortened(name, 100)


def _shown(result: object) -> str:
    try:
        return shortened(repr(result), 100)
    except BaseException:
        return f"a {_class_name(result)}"


def objective_of(given: str | Objective) -> Objective:
    """The callable that "module:function" names, in the current folder or on the path; a callable is returned as is."""
    name = text_of(given)
    if name is None:
        if isinstance(given, str) or not callable(given):
            raise ObjectiveError(f"an objective is a function of the params, or 'module:function', not {_shown(given)}")
        return given
    given = name
    module_name, colon, path = given.partition(":")
    if not (colon and module_name and path):
        raise ObjectiveError(f"{_shown(given)} is no objective: write 'module:function', such as 'train:objective'")
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


def called(objective: Objective) -> Command | Called | _Limited:
    """The objective as something that takes params and trial. A Command does so by itself."""
    if isinstance(objective, Command | Called | _Limited):
        return objective
    return Called(objective, takes_trial(objective))


def limited(objective: Objective, seconds: float | None, goals: Goals = _PLAIN) -> Command | Called | _Limited:
    """The objective with a time limit. A command is killed. A Python function is interrupted by a signal: it has to run
    in the main thread of its process, and code that is not Python is not interrupted."""
    if seconds is None:
        return called(objective)
    if not seconds > 0.0:
        raise StudyError(f"trial_timeout must be a number of seconds > 0, not {seconds!r}")
    if isinstance(objective, Command):
        return replace(objective, timeout=min(seconds, objective.timeout or seconds))
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        raise StudyError(
            "trial_timeout cannot interrupt a Python function in a thread: use worker processes (workers=2 or more, "
            "from the main thread), or a command"
        )
    return _Limited(called(objective), seconds, goals)


class _TimeUp(BaseException):
    """Not an Exception, so that an objective's `except Exception` does not catch it."""


@dataclass(frozen=True, slots=True)
class _Limited:
    objective: Command | Called | _Limited
    seconds: float
    goals: Goals

    def __call__(self, params: dict[str, Any], trial: RunningTrial | None = None) -> object:
        handler, started = signal.signal(signal.SIGALRM, _raise_time_up), time.monotonic()
        others = (0.0, 0.0)  # a timer that was set before, to be restored
        result = Result()
        try:
            try:
                # Again and again, as the objective may catch it.
                others = signal.setitimer(signal.ITIMER_REAL, self.seconds, REPEAT)
                result = evaluate(self.objective, params, trial, self.goals)
            finally:
                # The alarm may go off until here: the outer try catches that.
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        except _TimeUp:
            pass
        finally:
            spent = time.monotonic() - started
            signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
            if others[0] > 0.0:
                signal.setitimer(signal.ITIMER_REAL, max(others[0] - spent, 1e-3), others[1])
        if spent >= self.seconds:
            raise ObjectiveError(f"stopped after the time limit of {self.seconds:g} s")
        if result.reason is not None:
            raise ObjectiveError(result.reason)
        outcomes: Mapping[str, object] = result.outcomes or {VALUE: result.value}
        return outcomes if trial is not None else {**result.notes, **outcomes}


def _raise_time_up(_number: int, _frame: FrameType | None) -> None:
    if not is_handling(_TimeUp):  # the objective cleans up
        raise _TimeUp
