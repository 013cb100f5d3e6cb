"""Which suggestion a result belongs to: peers identify it by an object of their own, the simulator by params."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

from nonstop.space import Space
from nonstop.types import Value

Params: TypeAlias = Mapping[str, object]
Handle = TypeVar("Handle")
_Key: TypeAlias = tuple[object, ...]


class Pending(Generic[Handle]):
    """The peer's objects of busy points; two points may be equal in a discrete space."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._handles: dict[_Key, list[Handle]] = {}

    def put(self, params: Params, handle: Handle) -> dict[str, Value]:
        """Store the handle of a busy point; return its params as the simulator will report them."""
        clean = self._space.validate(params)
        self._handles.setdefault(self._key(clean), []).append(handle)
        return clean

    def take(self, params: Params) -> Handle | None:
        """Remove and return the handle of an evaluated point; None if the peer did not propose it."""
        key = self._key(params)
        handles = self._handles.get(key)
        if not handles:
            return None
        handle = handles.pop(0)
        if not handles:
            del self._handles[key]
        return handle

    def strangers(self, busy: Sequence[Params]) -> Iterator[Params]:
        """The busy points that the peer did not propose."""
        known = Counter({key: len(handles) for key, handles in self._handles.items()})
        for params in busy:
            key = self._key(params)
            if known[key] > 0:
                known[key] -= 1
            else:
                yield params

    def _key(self, params: Params) -> _Key:
        return tuple(params[name] for name in self._space)
