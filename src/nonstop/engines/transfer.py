"""How a task is sent to another process of this machine: through a pipe, never through a storage.

By reference if the other process can import the objective from a module or a script. Otherwise by value, with
cloudpickle: lambdas, closures, functions of a notebook. Without cloudpickle the process is forked, and inherits them.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from multiprocessing.context import BaseContext
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

from nonstop.errors import MissingExtraError, ObjectiveError, StorageError, StudyError
from nonstop.storage.contract import Storage
from nonstop.workers.deadline import Deadline
from nonstop.workers.worker import Task


class Parcel(Protocol):
    """A task in a form that can be sent to another process."""

    def open(self) -> Task:
        """The task, in the process that received it."""


@dataclass(frozen=True, slots=True)
class AsItIs:
    """The task by reference, or inherited by a fork."""

    task: Task

    def open(self) -> Task:
        """The task itself."""
        return self.task


@dataclass(frozen=True, slots=True)
class ByValue:
    """The task pickled by cloudpickle, functions included."""

    pickled: bytes
    #: Beside the rest, which is pickled once: each process is to get what is left of the time when it starts.
    deadline: Deadline | None

    def open(self) -> Task:
        """The task, unpickled."""
        task = cast("Task", _cloudpickle().loads(self.pickled))
        return replace(task, terms=replace(task.terms, deadline=self.deadline))


def pack(task: Task) -> tuple[Parcel, BaseContext]:
    """The task in a form that can be sent, and the multiprocessing context whose processes can receive it."""
    check_shared(task)
    spawn = multiprocessing.get_context("spawn")
    if not _is_interactive():
        try:
            ForkingPickler.dumps(task)
        except Exception:  # pickle raises many kinds of them
            pass
        else:
            return AsItIs(task), spawn
    try:
        return ByValue(_cloudpickle().dumps(task), task.terms.deadline), spawn
    except MissingExtraError:
        if "fork" in multiprocessing.get_all_start_methods():
            return AsItIs(task), multiprocessing.get_context("fork")
        raise ObjectiveError(
            "the objective cannot be sent to another process: put it into a module and name it 'module:function', or "
            "pip install cloudpickle"
        ) from None
    except Exception as error:
        raise ObjectiveError(
            f"the objective cannot be sent to another process ({error}): let it open what it needs by itself, or name "
            "it 'module:function'"
        ) from error


def by_value(given: object) -> bytes:
    """Anything as bytes for another process of this machine, functions and classes included."""
    return cast("bytes", _cloudpickle().dumps(given))


def opened(data: bytes) -> object:
    """What by_value() made into bytes, in the process that received it."""
    return cast("object", _cloudpickle().loads(data))


def check_shared(task: Task) -> None:
    """StudyError if the study lives in the memory of this process."""
    try:
        ForkingPickler.dumps(task.storage)
    except StorageError as error:
        raise StudyError(str(error)) from None


def opened_again(storage: Storage) -> Storage:
    """The storage as another process would open it: with a connection of its own."""
    return cast("Storage", ForkingPickler.loads(ForkingPickler.dumps(storage)))


def _is_interactive() -> bool:
    """Is the main module one that another process cannot import: a notebook, a prompt, `python -c`, standard input?"""
    main = sys.modules["__main__"]
    return getattr(main, "__spec__", None) is None and not _has_file(main)


def _has_file(module: ModuleType) -> bool:
    path = getattr(module, "__file__", None)
    return path is not None and Path(path).exists()


@contextmanager
def hide_missing_main_file() -> Iterator[None]:
    """Inside, the main module has no `__file__` if no such file exists (`<stdin>`): new processes would run it."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    if path is None or not _is_interactive():
        yield
        return
    del main.__file__
    try:
        yield
    finally:
        main.__file__ = path


def _cloudpickle() -> Any:
    try:
        return import_module("cloudpickle")
    except ImportError as error:
        raise MissingExtraError("sending this objective to another process", "cloudpickle") from error
