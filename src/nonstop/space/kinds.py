"""What kind of value each part of an expression is, and whether they go together. Errors point at the character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from typing import Literal as OneOf

from nonstop.space.choices import Categorical, Ordinal
from nonstop.space.expression import Comparison, Junction, Literal, Name, Node, Not, children
from nonstop.space.parameters import Parameter
from nonstop.space.parser import pointed
from nonstop.types import Value
from nonstop.wording import hint, shown

#: "choice" is one of several values that are not all of one kind, or a None.
Kind: TypeAlias = OneOf["number", "truth", "text", "choice"]

#: All parameters of one name: one, or one in each of several branches.
Known: TypeAlias = Mapping[str, Sequence[Parameter]]

_WORDS: Final = {"number": "a number", "truth": "true or false", "text": "a text", "choice": "a choice"}


def check(text: str, tree: Node, known: Known) -> None:
    """SpaceError unless the tree is a truth about these parameters."""
    kind = _Check(text, known).kind(tree)
    if kind != "truth":
        raise pointed(text, 0, f"this is {_WORDS[kind]}, expected a comparison such as a < b")


def kind_of(parameters: Sequence[Parameter]) -> Kind:
    """The kind of the values of all these parameters."""
    kinds = {_kind_of_value(value) for parameter in parameters for value in _samples(parameter)}
    return kinds.pop() if len(kinds) == 1 else "choice"


def _samples(parameter: Parameter) -> Sequence[Value]:
    """A value of every kind that it can have."""
    return parameter.choices if isinstance(parameter, Categorical | Ordinal) else (1.0,)


def _kind_of_value(value: Value) -> Kind:
    if isinstance(value, bool):
        return "truth"
    if value is None:
        return "choice"
    return "text" if isinstance(value, str) else "number"


class _Check:
    """A walk through the tree of one text."""

    def __init__(self, text: str, known: Known) -> None:
        self.text, self.known = text, known

    def kind(self, node: Node) -> Kind:
        match node:
            case Literal(value=value):
                return _kind_of_value(value)
            case Name(name=name):
                return kind_of(self.known[name])
            case Comparison():
                self.comparison(node)
                return "truth"
            case Not() | Junction():
                word = node.word if isinstance(node, Junction) else "not"
                for part in children(node):
                    self.expect(part, "truth", f"{word!r} takes comparisons")
                return "truth"
            case _:
                for part in children(node):
                    self.expect(part, "number", "arithmetic takes numbers")
                return "number"

    def expect(self, node: Node, wanted: Kind, why: str) -> None:
        kind = self.kind(node)
        if kind != wanted:
            more = f": compare {node.name} with == or !=" if isinstance(node, Name) and kind != "number" else ""
            raise pointed(self.text, node.at, f"{why}, and {self.shown(node)} is {_WORDS[kind]}{more}")

    def comparison(self, node: Comparison) -> None:
        sides = [node.first, *(side for _, side in node.rest)]
        for left, (word, right) in zip(sides, node.rest, strict=False):
            if word not in ("==", "!="):
                for side in (left, right):
                    self.expect(side, "number", f"{word} compares numbers")
            else:
                self.same(left, right)

    def same(self, left: Node, right: Node) -> None:
        for side in (left, right):
            if not isinstance(side, Literal | Name):
                self.expect(side, "number", "== compares numbers, or a name with a choice")
        kinds = self.kind(left), self.kind(right)
        if kinds[0] != kinds[1] and "choice" not in kinds:
            what = f"{self.shown(left)} is {_WORDS[kinds[0]]}, and {self.shown(right)} is {_WORDS[kinds[1]]}"
            raise pointed(self.text, right.at, f"these are never equal: {what}")
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Name) and isinstance(other, Literal):
                self.possible(one, other)

    def possible(self, name: Name, literal: Literal) -> None:
        """A choice that a name never has is a mistake in writing."""
        parameters = self.known[name.name]
        if not all(isinstance(parameter, Categorical | Ordinal) for parameter in parameters):
            return
        choices = [choice for parameter in parameters for choice in _samples(parameter)]
        value = literal.value
        if not any(choice == value and isinstance(choice, bool) == isinstance(value, bool) for choice in choices):
            texts = [choice for choice in choices if isinstance(choice, str)]
            meant = hint(value, texts) if texts and isinstance(value, str) else f"one of {shown(choices)}"
            raise pointed(self.text, literal.at, f"{name.name} is never {shown(value)}: expected {meant}")

    def shown(self, node: Node) -> str:
        if isinstance(node, Name):
            return node.name
        return shown(node.value) if isinstance(node, Literal) else "this"
