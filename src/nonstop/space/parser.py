"""From text to the tree of an expression: a tokenizer and a parser by recursive descent. Errors point at the character.

truth      = conjunction ("or" conjunction)*          power   = atom ("**" unary)?
conjunction= negation ("and" negation)*               unary   = "-" unary | "+" unary | power
negation   = "not" negation | comparison              product = unary (("*" | "/") unary)*
comparison = sum (("<" | "<=" | ...) sum)*            sum     = product (("+" | "-") product)*
atom       = number | 'text' | name | `name` | function "(" truth ("," truth)* ")" | "(" truth ")"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NoReturn

from nonstop.errors import SpaceError
from nonstop.space.expression import (
    FUNCTIONS,
    Call,
    Comparison,
    Junction,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    Power,
    Product,
    Sum,
)
from nonstop.wording import shown

#: The most characters of a constraint.
LONGEST: Final = 4000
#: How deep parentheses, signs and powers may be nested.
DEEPEST: Final = 25

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"|`(?P<quoted>[^`]+)`"
    r"|'(?P<text>[^']*)'|\"(?P<text2>[^\"]*)\""
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/<>(),]))"
)
_WORDS: Final = {"true": True, "false": False, "none": None, "True": True, "False": False, "None": None}
_MISTAKES: Final = {
    "=": "write == to compare",
    "&": 'write "and"',
    "|": 'write "or"',
    "!": 'write "not", or != to compare',
    "^": "write ** for a power",
    "%": "there is no remainder: use + - * / **",
    "'": "the quote is not closed",
    '"': "the quote is not closed",
    "`": "the backtick is not closed",
    "[": "there are no lists: combine comparisons with and, or",
    "{": "there are no sets: combine comparisons with and, or",
}
_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")


def parsed(text: str) -> Node:
    """The tree of the text; SpaceError shows where it cannot be read."""
    if len(text) > LONGEST:
        raise SpaceError(
            f"constraint {shown(text[:60])}...: it has {len(text):,} characters, expected at most {LONGEST:,}"
        )
    if not text.strip():
        raise SpaceError(f"constraint {shown(text)}: it is empty, expected a comparison such as 'a < b'")
    parser = _Parser(text, _tokens(text))
    tree = parser.truth()
    if parser.kind != "end":
        spaced = parser.kind == "name" and parser.tokens[parser.place - 1].kind == "name"
        parser.fail("expected an operator or the end" + (" (write `a b` in backticks)" if spaced else ""))
    return tree


def pointed(text: str, at: int, what: str) -> SpaceError:
    """The error, with the text and a caret below the character."""
    start = max(0, at - 60)
    line = "".join(char if char.isprintable() else " " for char in text[start : at + 60])
    return SpaceError(f"constraint {shown(text)}: {what}\n    {line}\n    {' ' * (at - start)}^")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def _tokens(text: str) -> list[_Token]:
    tokens, at, end = [], 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at, end)
        if found is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            why = _MISTAKES.get(text[at], "expected a number, a name, a 'text' or an operator")
            raise pointed(text, at, f"cannot read {text[at]!r}: {why}")
        kind = str(found.lastgroup)
        start = found.start(kind) - (kind in ("quoted", "text", "text2"))
        tokens.append(_Token("text" if kind == "text2" else kind, found[kind], start))
        at = found.end()
    return [*tokens, _Token("end", "", end)]


class _Parser:
    """The tokens, and how far they were read."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self.source, self.tokens, self.place, self.depth = text, tokens, 0, 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.place]

    @property
    def kind(self) -> str:
        return self.token.kind

    def fail(self, what: str) -> NoReturn:
        found = "the end" if self.kind == "end" else shown(self.token.text)
        raise pointed(self.source, self.token.at, f"{what}, found {found}")

    def take(self, *texts: str) -> _Token | None:
        """The next token, if it is a sign or word among these."""
        token = self.token
        if token.kind in ("sign", "name") and token.text in texts:
            self.place += 1
            return token
        return None

    def deeper(self, inner: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise pointed(self.source, self.token.at, f"it is nested deeper than {DEEPEST} levels")
        node = inner()
        self.depth -= 1
        return node

    def truth(self) -> Node:
        return self.junction("or", lambda: self.junction("and", self.negation))

    def junction(self, word: str, inner: Callable[[], Node]) -> Node:
        nodes, at = [inner()], self.token.at
        while self.take(word):
            nodes.append(inner())
        return nodes[0] if len(nodes) == 1 else Junction(word, tuple(nodes), at)

    def negation(self) -> Node:
        token = self.take("not")
        return Not(self.deeper(self.negation), token.at) if token else self.comparison()

    def comparison(self) -> Node:
        first, rest, at = self.sum(), [], self.token.at
        while token := self.take(*_COMPARISONS):
            rest.append((token.text, self.sum()))
        return Comparison(first, tuple(rest), at) if rest else first

    def sum(self) -> Node:
        parts, at = self.parts(("+", "-"), self.product)
        return parts[0][1] if len(parts) == 1 else Sum(tuple(parts), at)

    def product(self) -> Node:
        parts, at = self.parts(("*", "/"), self.unary)
        return parts[0][1] if len(parts) == 1 else Product(tuple(parts), at)

    def parts(self, signs: tuple[str, str], inner: Callable[[], Node]) -> tuple[list[tuple[str, Node]], int]:
        parts, at = [(signs[0], inner())], self.token.at
        while token := self.take(*signs):
            parts.append((token.text, inner()))
        return parts, at

    def unary(self) -> Node:
        token = self.take("-", "+")
        if token is None:
            return self.power()
        node = self.deeper(self.unary)
        return Negative(node, token.at) if token.text == "-" else node

    def power(self) -> Node:
        base = self.atom()
        token = self.take("**")
        return Power(base, self.deeper(self.unary), token.at) if token else base

    def atom(self) -> Node:
        token = self.token
        if token.kind == "sign" and token.text == "(":
            self.place += 1
            node = self.deeper(self.truth)
            self.close()
            return node
        if token.kind in ("end", "sign") or (token.text in ("and", "or", "not") and token.kind == "name"):
            self.fail("expected a number, a name or a parenthesis")
        self.place += 1
        if token.kind == "number":
            return Literal(self.number(token), token.at)
        if token.kind == "text":
            return Literal(token.text, token.at)
        if token.kind == "name" and self.token.kind == "sign" and self.token.text == "(":
            return self.call(token)
        if token.kind == "name" and token.text in _WORDS:
            return Literal(_WORDS[token.text], token.at)
        return Name(token.text, token.at)

    def number(self, token: _Token) -> float:
        value = float(token.text)
        if value == float("inf"):
            raise pointed(self.source, token.at, f"the number {token.text} is too large")
        return value

    def call(self, token: _Token) -> Node:
        if token.text not in FUNCTIONS:
            what = f"there is no function {shown(token.text)}, only {_listed(FUNCTIONS)}"
            raise pointed(self.source, token.at, what)
        self.place += 1
        arguments = [self.deeper(self.truth)]
        while self.take(","):
            arguments.append(self.deeper(self.truth))
        self.close()
        least, most = FUNCTIONS[token.text]
        if not least <= len(arguments) <= most:
            expected = "one argument" if most == 1 else f"{least} to {most} arguments"
            raise pointed(self.source, token.at, f"{token.text}() takes {expected}, got {len(arguments)}")
        return Call(token.text, tuple(arguments), token.at)

    def close(self) -> None:
        if not self.take(")"):
            self.fail("expected a closing parenthesis")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
