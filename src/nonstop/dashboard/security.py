"""Who may ask, and what a browser may do with the answer. Every request passes here first.

The dashboard answers on a loopback address without a password, so a web page elsewhere must not be able to use the
reader's browser to read it: requests are answered only under a name of this machine (against DNS rebinding), only from
pages of the dashboard itself (Origin), and only if they read (GET, HEAD).
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import urlsplit

from nonstop.errors import StudyError

COOKIE: Final = "nonstop"
SHORTEST_TOKEN: Final = 16
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
#: Plotly writes the style of some lines and texts as attributes: attributes only, never a style sheet or a script.
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
    """The dashboard will not be opened like this."""


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    why: str


@dataclass(frozen=True, slots=True)
class Policy:
    """`hosts` are the names this dashboard answers to; with `any_address`, so are numeric addresses, which no foreign
    name server can point here. A token, if there is one, is asked of everyone."""

    hosts: frozenset[str] = LOOPBACK
    any_address: bool = False
    token: str | None = None

    @classmethod
    def of(cls, host: str, token: str | None) -> Policy:
        """For a dashboard bound to `host`; RefusedError if that would show it to the network without a token."""
        if token is not None and len(token) < SHORTEST_TOKEN:
            raise RefusedError(f"a token must have at least {SHORTEST_TOKEN} characters")
        if is_loopback(host):
            return cls(LOOPBACK | {host.lower()}, token=token)
        if token is None:
            raise RefusedError(f"{host} can be reached from other machines: give a --token, or leave out --host")
        return cls(LOOPBACK | {host.lower(), socket.gethostname().lower()}, any_address=True, token=token)

    def refusal(self, method: str, headers: Mapping[str, list[str]]) -> Refusal | None:
        """Why a request is not answered, before the token is looked at; names of headers are in lower case."""
        if method not in ("GET", "HEAD"):
            return Refusal(405, "the dashboard only shows: use GET")
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
        # Compared one by one and to the end, so that the time it takes says nothing.
        return any([same(word, self.token) for word in given] + [same(c, self.cookie) for c in _cookies(headers)])

    @property
    def cookie(self) -> str:
        """Stands for the token, but is not the token: browsers send cookies to every port of a host."""
        return hmac.digest((self.token or "").encode(), b"nonstop dashboard", "sha256").hex()


def same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _cookies(headers: Mapping[str, list[str]]) -> list[str]:
    found = []
    for line in headers.get("cookie", []):
        try:
            found += [morsel.value for name, morsel in SimpleCookie(line).items() if name == COOKIE]
        except CookieError:  # another program's, on the same host
            continue
    return found


def name_of(host: str) -> str | None:
    """The name or address in a Host header, without port and brackets; None if there is none. Ports do not matter:
    they differ behind an ssh tunnel, and an attacker cannot choose the name."""
    if not re.fullmatch(r"[\w.-]+(:\d+)?|\[[\da-fA-F:.]+\](:\d+)?", host, re.ASCII):
        return None
    name = urlsplit(f"//{host}").hostname
    return None if name is None else name.rstrip(".").lower()


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    return host.lower() == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
