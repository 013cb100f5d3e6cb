"""Environments of workers: each may have variables of its own, such as the devices that it may use.

A command gets them in its environment, whichever engine runs its worker. A Python function finds them in os.environ,
which belongs to a whole process: so its worker needs a process of its own, or is the only one of this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from nonstop.arguments import text_of
from nonstop.errors import StudyError
from nonstop.wording import shown


def checked_environments(given: object) -> tuple[dict[str, str], ...]:
    """A list of mappings from names to texts, as it was given; StudyError if it is none."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise StudyError(f"environments must be a list of mappings, one for each worker, not {shown(given)}")
    return tuple(_checked(environment) for environment in given)


def _checked(environment: object) -> dict[str, str]:
    if not isinstance(environment, Mapping):
        example = "{'CUDA_VISIBLE_DEVICES': '0'}"
        raise StudyError(f"an environment must be a mapping such as {example}, not {shown(environment)}")
    found = {text_of(name): text_of(value) for name, value in environment.items()}
    for name, value in found.items():
        if not name or value is None or "\0" in name + value or "=" in name:
            raise StudyError(f"an environment has a text for each name of a variable, not {shown(environment)}")
    return {str(name): str(value) for name, value in found.items()}


@contextmanager
def environment_set(variables: Mapping[str, str]) -> Iterator[None]:
    """Inside, os.environ has these variables; afterwards it is as before."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
