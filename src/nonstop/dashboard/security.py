"""Which requests are answered, and what a browser may do with the answer.

The dashboard answers on a loopback address without a password, so a web page elsewhere must not be able to use the
reader's browser to read it: requests are answered only under a name of this machine (against DNS rebinding), only from
pages of the dashboard itself (Origin), and only if they read (GET, HEAD).
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from nonstop.errors import StudyError
from nonstop.wording import is_text

COOKIE: Final = "nonstop"
SHORTEST_TOKEN: Final = 16
#: Bytes of the head of a request and of its target. Browsers send the cookies of all programs on a machine.
MOST_HEAD, MOST_TARGET = 32_768, 4096
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
#: Plotly sets styles of some elements as attributes, so these are allowed; inline style sheets and scripts are not.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class RefusedError(StudyError):
    """The dashboard cannot be started with these settings."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP status, and the reason for the reader."""

    status: int
    why: str


@dataclass(frozen=True, slots=True)
class Policy:
    """Which requests are answered."""

    #: The host names under which the dashboard answers.
    hosts: frozenset[str] = LOOPBACK
    #: Whether it also answers under any numeric address, which DNS rebinding cannot forge.
    any_address: bool = False
    #: Required of every request, if there is one.
    token: str | None = None

    @classmethod
    def of(cls, host: str, token: str | None) -> Policy:
        """The policy for a dashboard bound to `host`; RefusedError if the network could read it without a token."""
        if token is not None and len(token) < SHORTEST_TOKEN:
            raise RefusedError(f"a token must have at least {SHORTEST_TOKEN} characters")
        if token is not None and not is_text(token):
            raise RefusedError("a token must be text: this one has bytes that are no characters")
        if is_loopback(host):
            return cls(LOOPBACK | {host.lower()}, token=token)
        if token is None:
            raise RefusedError(f"{host} can be reached from other machines: give a --token, or leave out --host")
        return cls(LOOPBACK | {host.lower(), socket.gethostname().lower()}, any_address=True, token=token)

    def too_long(self, target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Refuse a request whose target or head is too long."""
        if len(target) > MOST_TARGET:
            return Refusal(414, "this address is too long")
        if sum(len(name) + len(value) for name, value in headers) > MOST_HEAD:
            return Refusal(431, "the headers are too long: too many cookies, perhaps")
        return None

    def refusal(self, method: str, headers: Mapping[str, list[str]]) -> Refusal | None:
        """Why a request is refused, apart from the token; header names are in lower case."""
        if method not in ("GET", "HEAD"):
            return Refusal(405, "the dashboard is read-only: use GET")
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        if len(hosts) != 1 or not self._knows(name_of(hosts[0])):
            return Refusal(403, "the dashboard does not answer under this name")
        if any(origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}") for origin in origins):
            return Refusal(403, "the dashboard does not answer other sites")
        cross = "cross-site" in headers.get("sec-fetch-site", [])
        if cross and headers.get("sec-fetch-mode") != ["navigate"]:
            return Refusal(403, "the dashboard does not answer other sites")
        return None

    def _knows(self, name: str | None) -> bool:
        return name is not None and (name in self.hosts or (self.any_address and is_address(name)))

    def admits(self, headers: Mapping[str, list[str]]) -> bool:
        """Does the request carry the token, as a bearer or as the cookie that stands for it?"""
        if self.token is None:
            return True
        given = [value.removeprefix("Bearer ") for value in headers.get("authorization", [])]
        # All comparisons are made, so that the time they take reveals nothing.
        return any([same(word, self.token) for word in given] + [same(c, self.cookie) for c in _cookies(headers)])

    @property
    def cookie(self) -> str:
        """A hash of the token: browsers send cookies to every port of a host, so the token itself must not be one."""
        return hmac.digest((self.token or "").encode(), b"nonstop dashboard", "sha256").hex()


def same(given: str, secret: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _cookies(headers: Mapping[str, list[str]]) -> list[str]:
    """The values of our cookie. Not by http.cookies, which takes seconds for some cookies: its time is quadratic."""
    pairs = (pair.partition("=") for line in headers.get("cookie", []) for pair in line.split(";"))
    return [value.strip().strip('"') for name, _, value in pairs if name.strip() == COOKIE]


def name_of(host: str) -> str | None:
    """The name or address in a Host header, without port and brackets; None if it is malformed. The port is ignored: it
    differs behind an ssh tunnel, and the name alone protects against DNS rebinding."""
    found = re.fullmatch(r"(?:([\w.-]+)|\[([\da-fA-F:.]+)\])(?::\d+)?", host, re.ASCII)
    return None if found is None else (found[1] or found[2]).rstrip(".").lower()


def is_address(name: str) -> bool:
    """Whether the name is a numeric IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    return host.lower() == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
