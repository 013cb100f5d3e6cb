"""Who is answered, and what a browser may do with the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nonstop.dashboard.security import Policy, RefusedError, is_loopback, name_of
from tests.dashboard.serving import Served, served
from tests.helpers.commands import run

TOKEN = "a token of some length"


def headers(**given: str) -> dict[str, list[str]]:
    return {name.replace("_", "-"): [value] for name, value in given.items()}


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "localhost.:80"])
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert Policy.of("127.0.0.1", None).refusal("GET", headers(host=host)) is None


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "192.168.0.7", "", "a b", "[::1", "::1"],
)
def test_other_names_are_not(host: str) -> None:
    refusal = Policy.of("127.0.0.1", None).refusal("GET", headers(host=host))
    assert refusal is not None
    assert refusal.status == 403


def test_two_hosts_or_none_are_refused() -> None:
    policy = Policy.of("127.0.0.1", None)
    assert policy.refusal("GET", {}) is not None
    assert policy.refusal("GET", {"host": ["localhost", "evil.example"]}) is not None


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999", "http://localhost.evil"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_foreign_origins_are_refused(origin: str, method: str) -> None:
    policy = Policy.of("127.0.0.1", None)
    assert policy.refusal(method, headers(host="localhost:8080", origin=origin)) is not None
    assert policy.refusal(method, headers(host="localhost:8080", origin="http://localhost:8080")) is None


def test_other_sites_may_link_to_it_but_not_load_from_it() -> None:
    policy = Policy.of("127.0.0.1", None)
    cross = headers(host="localhost", sec_fetch_site="cross-site", sec_fetch_mode="no-cors")
    assert policy.refusal("GET", cross) is not None
    assert policy.refusal("GET", cross | headers(sec_fetch_mode="navigate")) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org"])
def test_a_public_address_needs_a_token(host: str) -> None:
    with pytest.raises(RefusedError, match="can be reached from other machines"):
        Policy.of(host, None)
    with pytest.raises(RefusedError, match="at least 16"):
        Policy.of(host, "short")
    policy = Policy.of(host, TOKEN)
    assert policy.refusal("GET", headers(host="192.168.0.7:8080")) is None
    assert policy.refusal("GET", headers(host="evil.example")) is not None


def test_the_token_is_asked_of_everyone() -> None:
    policy = Policy.of("127.0.0.1", TOKEN)
    assert not policy.admits({})
    assert not policy.admits(headers(authorization="Bearer another token, long too"))
    assert not policy.admits(headers(cookie=f"nonstop={TOKEN}"))  # the cookie is not the token itself
    assert policy.admits(headers(authorization=f"Bearer {TOKEN}"))
    assert policy.admits(headers(cookie=f"other=1; nonstop={policy.cookie}"))
    assert Policy.of("127.0.0.1", None).admits({})


def test_addresses() -> None:
    assert name_of("[::1]:80") == "::1"
    assert name_of("a/b") is None
    assert is_loopback("127.9.9.9")
    assert not is_loopback("0.0.0.0")


def test_the_command_refuses_a_public_address_without_a_token(url: str, tmp_path: Path) -> None:
    done = run("dashboard", url, "--host", "0.0.0.0", cwd=tmp_path, code=2)
    assert "give a --token" in done.stderr


@pytest.mark.parametrize(
    "path", ["/", "/studies/1", "/api/studies", "/api/studies/1", "/static/style.css", "/plotly.js"]
)
def test_every_path_checks_host_and_origin(dashboard: Served, path: str) -> None:
    assert dashboard.ask(path).status == 200
    assert dashboard.ask(path, Host="evil.example").status == 403
    assert dashboard.ask(path, Host=f"evil.example:{dashboard.port}").status == 403
    assert dashboard.ask(path, Origin="http://evil.example").status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_it_only_shows(dashboard: Served, method: str) -> None:
    assert dashboard.ask("/", method).status == 405
    assert dashboard.ask("/api/studies/1", method, Host="evil.example").status in (403, 405)


def test_head_is_checked_too(dashboard: Served) -> None:
    assert dashboard.ask("/", "HEAD").status == 200
    assert dashboard.ask("/", "HEAD", Host="evil.example").status == 403
    assert dashboard.ask("/", "HEAD", Origin="http://evil.example").status == 403


@pytest.mark.parametrize("path", ["/", "/api/studies", "/nothing", "/api/studies/999", "/static/list.js"])
def test_every_answer_binds_the_browser(dashboard: Served, path: str) -> None:
    found = dashboard.ask(path).headers
    policy = found["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in found


def test_no_file_beside_the_static_ones_is_shown(dashboard: Served) -> None:
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd", "/static/..%2fserver.py"):
        assert dashboard.ask(path).status == 404


@pytest.fixture(scope="module")
def locked(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(url, tmp_path_factory.mktemp("locked"), "--token", TOKEN) as running:
        yield running


def test_without_the_token_nothing_is_shown(locked: Served) -> None:
    for path in ("/", "/studies/1", "/api/studies", "/api/studies/1/trials/0", "/plotly.js"):
        answer = locked.ask(path)
        assert answer.status == 401
        assert "good" not in answer.body
    assert locked.ask("/?token=wrong").status == 401


def test_the_token_in_the_address_becomes_a_cookie(locked: Served) -> None:
    answer = locked.ask(f"/?token={TOKEN.replace(' ', '%20')}")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert locked.ask("/", Cookie=cookie.split(";")[0]).status == 200
    assert locked.ask("/api/studies/1/trials/0", Authorization=f"Bearer {TOKEN}").status == 200


def test_unknown_things_are_not_found(dashboard: Served) -> None:
    found: Callable[[str], int] = lambda path: dashboard.ask(path).status  # noqa: E731
    assert found("/api/studies/999") == 404
    assert found("/api/studies/1/trials/999") == 404
    assert found("/api/studies/1/figures/none") == 404
    assert found("/api/studies/x") == 404
