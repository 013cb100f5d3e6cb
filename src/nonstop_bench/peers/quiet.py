"""Suppress warnings of peers about settings that are intended."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings inside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
