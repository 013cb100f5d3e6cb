"""Peers warn about much that is set on purpose."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings inside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
