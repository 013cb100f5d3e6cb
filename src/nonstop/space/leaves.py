"""A space without its nesting: every parameter that can be there, and when it is.

A *leaf* is one parameter of a space or of a space that one of its choices brings along. Leaves are in a fixed order, a
choice before the parameters that it brings. Several leaves may have the same name; at most one of them is *active*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nonstop.space.choices import Branch, Categorical
from nonstop.space.parameters import Parameter
from nonstop.types import Params, Value

_MOST_WAYS = 1000  # to look at: with so many, some way is left in any space that people write


class Under(NamedTuple):
    """When a leaf or a whole space is active: when the choice of this leaf is that of this level, and active itself."""

    leaf: int
    level: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """A parameter that can be there."""

    name: str
    parameter: Parameter
    #: When it is there; None is always.
    under: Under | None = None


def leaves_of(parameters: Mapping[str, Parameter]) -> tuple[tuple[Leaf, ...], tuple[tuple[Branch, Under], ...]]:
    """The leaves, and the nested spaces with the choice that brings each."""
    leaves: list[Leaf] = []
    nested: list[tuple[Branch, Under]] = []
    for name, parameter in parameters.items():
        place = len(leaves)
        leaves.append(Leaf(name, parameter))
        branches = parameter.branches if isinstance(parameter, Categorical) else ()
        for level, branch in enumerate(branches):
            if branch is not None:
                under, start = Under(place, level), len(leaves)
                nested.append((branch, under))
                inner_leaves, inner_nested = branch.leaves, branch.nested  # type: ignore[attr-defined]
                leaves += [replace(leaf, under=_shifted(leaf.under, start, under)) for leaf in inner_leaves]
                nested += [(inner, _shifted(where, start, under)) for inner, where in inner_nested]
    return tuple(leaves), tuple(nested)


def _shifted(inner: Under | None, start: int, outer: Under) -> Under:
    return outer if inner is None else Under(inner.leaf + start, inner.level)


def clash(leaves: tuple[Leaf, ...], by_name: Mapping[str, Sequence[Leaf]]) -> tuple[Leaf, Leaf] | None:
    """Two leaves of one name that can be active at the same time, if there are any."""
    for named in by_name.values():
        for i, leaf in enumerate(named):
            path = path_of(leaves, leaf.under)
            for other in named[:i]:
                if _together(path, path_of(leaves, other.under)):
                    return other, leaf
    return None


def visible(leaves: tuple[Leaf, ...], named: Iterable[Leaf], under: Under | None) -> list[Leaf]:
    """Those of the leaves that can be active together with a space that is there under this choice."""
    path = path_of(leaves, under)
    return [leaf for leaf in named if _together(path, path_of(leaves, leaf.under))]


def ever_together(leaves: tuple[Leaf, ...], named: Sequence[Sequence[Leaf]], under: Under | None) -> bool:
    """Can one leaf of each name be active at the same time, together with a space that is there under this choice?"""
    made = [dict(path_of(leaves, under))]  # the choices that are made, in every way to have all names so far
    for group in named:
        paths = {tuple(path_of(leaves, leaf.under)) for leaf in group}
        made = [{**one, **dict(path)} for one in made for path in paths if _together(list(one.items()), list(path))]  # type: ignore[arg-type]
        made = made[:_MOST_WAYS]
    return bool(made)


def _together(one: list[Under], other: list[Under]) -> bool:
    needed = dict(one)
    return all(needed.get(place, level) == level for place, level in other)


def path_of(leaves: tuple[Leaf, ...], under: Under | None) -> list[Under]:
    """Every choice that must be made for what is under this one to be active, the outermost first."""
    path = []
    while under is not None:
        path.append(under)
        under = leaves[under.leaf].under
    return path[::-1]


def is_active(leaves: tuple[Leaf, ...], under: Under | None, params: Params) -> bool:
    """Is what is under this choice there with these params?"""
    for place, level in path_of(leaves, under):
        choice = leaves[place]
        if choice.name not in params or params[choice.name] != choice.parameter.choices[level]:  # type: ignore[union-attr]
            return False
    return True


def when(leaves: tuple[Leaf, ...], leaf: Leaf) -> str:
    """When the leaf is there, in words: model is 'svm' and kernel is 'rbf'."""
    return " and ".join(_made(leaves, under) for under in path_of(leaves, leaf.under)) or "always"


def why_not(leaves: tuple[Leaf, ...], named: Iterable[Leaf], values: Mapping[str, Value]) -> str:
    """Why none of these leaves of one name is active with these values."""
    found = list(named)
    needed = ", or when ".join(when(leaves, leaf) for leaf in found)
    for place, level in path_of(leaves, found[0].under):
        name = leaves[place].name
        if name in values and values[name] != leaves[place].parameter.choices[level]:  # type: ignore[union-attr]
            return f"is only there when {needed}, and {name} is {values[name]!r}"
    return f"is only there when {needed}"


def _made(leaves: tuple[Leaf, ...], under: Under) -> str:
    choice = leaves[under.leaf]
    return f"{choice.name} is {choice.parameter.choices[under.level]!r}"  # type: ignore[union-attr]
