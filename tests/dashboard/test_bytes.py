"""Strangers' bytes: too long, too slow, too many, or no HTTP at all. Readers are answered meanwhile."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

import nonstop.dashboard.connection as connection
from nonstop.dashboard.figures import figure_kinds, plotly_script
from nonstop.dashboard.security import MOST_HEAD, Policy
from nonstop.dashboard.server import Dashboard, listen, server_of
from nonstop.dashboard.streams import Places
from nonstop.storage import open_storage
from tests.dashboard.serving import Served, served
from tests.fuzz import http

TOKEN = "a token of some length"
#: Seconds in which a reader must be answered, whatever others do; far above what it takes, for a busy machine.
SOON = 5.0


def said(port: int, data: bytes, seconds: float = 20.0) -> bytes:
    """All that is answered to these bytes, until the other side closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line, suppress(ConnectionError):
        line.sendall(data)
        answer = b""
        while chunk := line.recv(65536):
            answer += chunk
    return answer


def status_of(port: int, *lines: bytes) -> int:
    answer = said(port, b"\r\n".join([*lines, b"Connection: close", b"", b""]))
    assert answer.startswith(b"HTTP/1.1 "), answer[:99]
    return int(answer[9:12])


@pytest.fixture(scope="module")
def locked(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(url, tmp_path_factory.mktemp("locked"), "--token", TOKEN) as running:
        yield running


@contextmanager
def in_thread(url: str) -> Iterator[int]:
    """A dashboard in this process, whose limits a test can change; its port."""
    storage = open_storage(url)
    server = server_of(Dashboard(storage, "x", figure_kinds()), Policy())
    bound = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        storage.close()


HOST = b"Host: 127.0.0.1"


@pytest.mark.parametrize("cookie", [b'a="' + b'\\"' * 15_000 + b'"', b'a="' + b'\\"' * 30_000 + b'"', b"a=b;" * 15_000])
def test_a_long_cookie_costs_nothing(locked: Served, cookie: bytes) -> None:
    began = time.monotonic()
    assert status_of(locked.port, b"GET / HTTP/1.1", HOST, b"Cookie: " + cookie) in (401, 431)
    assert time.monotonic() - began < 1.0  # 4 s when the standard library unquoted 60 KB; now a millisecond


def test_the_cookie_is_found_among_those_of_other_programs(locked: Served) -> None:
    ours = Policy.of("127.0.0.1", TOKEN).cookie
    for text in (f'a="b\\"; nonstop={ours}', f'x; y=1;nonstop="{ours}"; z', f"{'a=b; ' * 4000}nonstop={ours}"):
        assert locked.ask("/", Cookie=text).status == 200, text[:60]
    for text in (f"nonstop2={ours}", f"nonstop={ours}0", f"a=nonstop={ours}", "nonstop"):
        assert locked.ask("/", Cookie=text).status == 401


def test_long_heads_and_targets_are_refused(dashboard: Served) -> None:
    port = dashboard.port
    assert status_of(port, b"GET / HTTP/1.1", HOST, b"X: " + b"y" * (MOST_HEAD - 200)) == 200
    assert status_of(port, b"GET / HTTP/1.1", HOST, b"X: " + b"y" * 60_000) == 431
    assert status_of(port, b"GET / HTTP/1.1", HOST, *[b"A: b"] * 20_000) == 431
    assert status_of(port, b"GET /" + b"a" * 10_000 + b" HTTP/1.1", HOST) == 414
    assert said(port, b"GET /" + b"a" * 60_000).startswith(b"HTTP/1.1 431")  # without an end


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/api/studies/" + "7" * 5000, 414),
        ("/api/studies/" + "7" * 4000, 404),
        ("/studies/" + "7" * 4000, 404),
        ("/studies/x", 404),
        ("/api/studies/1/trials/" + "1" * 4000, 404),
        ("/api/studies/00000000000000000001/trials/0", 404),
        ("/api/studies/%D9%A1", 404),  # an Arabic 1
        ("/static/%00", 404),
        ("/static/style.css%00", 404),
        ("/static/" + "a" * 3000, 404),
        ("/%ff%fe", 404),
        ("/%", 404),
        ("http://evil.example/", 404),
        ("*", 404),
    ],
)
def test_nonsense_in_a_target_is_not_found(dashboard: Served, target: str, status: int) -> None:
    assert status_of(dashboard.port, f"GET {target} HTTP/1.1".encode(), HOST) == status


def test_nonsense_after_the_question_mark_does_not_matter(dashboard: Served) -> None:
    for query in ("after=" + "3" * 4000, "epoch=%ff&after=%C2%B2", "&" * 4000):
        assert dashboard.ask(f"/api/studies/1?{query}").status == 200


@pytest.mark.parametrize(
    "host", [b"[1]", b"[::1%25lo]", b"[", b"[]", b"127.0.0.1:" + b"9" * 5000 + b"x", b"\xff", b"[v1.a]"]
)
def test_a_malformed_host_is_refused(dashboard: Served, host: bytes) -> None:
    assert status_of(dashboard.port, b"GET / HTTP/1.1", b"Host: " + host) == 403


@pytest.mark.parametrize("range_", [b"bytes=" + b"0-1," * 5000, b"bytes=" + b"9" * 5000 + b"-", b"bytes=1-0", b"x"])
def test_ranges_are_ignored(dashboard: Served, range_: bytes) -> None:
    assert status_of(dashboard.port, b"GET /plotly.js HTTP/1.1", HOST, b"Range: " + range_) == 200


def test_http_1_0_absolute_targets_pipelines_and_bodies(dashboard: Served) -> None:
    port = dashboard.port
    assert said(port, b"GET /static/style.css HTTP/1.0\r\n" + HOST + b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    one = b"GET /api/figures HTTP/1.1\r\n" + HOST + b"\r\n\r\n"
    assert said(port, one * 3 + b"nonsense\r\n\r\n").count(b"HTTP/1.1 200") == 3
    chunked = b"GET /api/figures HTTP/1.1\r\n" + HOST + b"\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    for body in (b"5\r\nhello\r\n0\r\n\r\n", b"-1\r\n", b"zz\r\n"):
        assert said(port, chunked + body)[9:12] in (b"200", b"400")
    upgrade = b"GET / HTTP/1.1\r\n" + HOST + b"\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n"
    assert said(port, upgrade).startswith(b"HTTP/1.1 200")


def test_head_of_a_stream_is_answered(dashboard: Served) -> None:
    for path in (b"/api/studies", b"/api/studies/1"):
        assert status_of(dashboard.port, b"HEAD " + path + b" HTTP/1.1", HOST) == 200


def test_readers_get_in_while_strangers_keep_connections_open(url: str, tmp_path: Path) -> None:
    with served(url, tmp_path) as dashboard, ExitStack() as stack:
        if hasattr(resource, "prlimit"):  # Linux allows a thousand files or more; macOS 256
            resource.prlimit(dashboard.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        for part in range(500):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", dashboard.port), timeout=20))
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "[: part % 40])
        for path in ("/", "/api/studies", "/plotly.js"):
            began = time.monotonic()
            assert dashboard.ask(path).status == 200
            assert time.monotonic() - began < SOON


def test_a_request_must_be_complete_in_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LOOK", 0.1)
    monkeypatch.setattr(connection, "_IDLE", 0.3)
    answered = b"GET /api/figures HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n"
    with in_thread(url) as port:
        for data in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", answered):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
                line.sendall(data)
                began = time.monotonic()
                with suppress(ConnectionError):
                    while time.monotonic() - began < SOON:  # a byte now and then does not help
                        line.sendall(b"x")
                        time.sleep(0.1)
                assert time.monotonic() - began < SOON


def test_a_reader_who_does_not_read_is_left(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LOOK", 0.1)
    monkeypatch.setattr(connection, "_STUCK", 0.5)
    monkeypatch.setattr(connection, "_IDLE", 60.0)
    with in_thread(url) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"GET /plotly.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 9)
        time.sleep(3.0)
        received = 0
        with suppress(ConnectionError):
            while chunk := line.recv(1 << 20):
                received += len(chunk)
    assert 0 < received < 9 * plotly_script().stat().st_size  # what the buffers held, and then the end


def test_a_stream_outlives_the_limits_of_waiting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LOOK", 0.1)
    monkeypatch.setattr(connection, "_IDLE", 0.3)
    monkeypatch.setattr(connection, "_STUCK", 0.3)
    monkeypatch.setattr("nonstop.dashboard.events._KEEP_ALIVE", 1.0)
    with in_thread(url) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"GET /api/studies HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        until, news = time.monotonic() + 2.5, b""
        while time.monotonic() < until:
            chunk = line.recv(65536)
            assert chunk
            news += chunk
        assert news.count(b"data: ") >= 3


def test_the_oldest_stream_gives_way() -> None:
    places = Places(2)
    first, second, third = (places.take(lambda: False) for _ in range(3))
    assert (first.over(), second.over(), third.over()) == (True, False, False)
    second.leave()
    fourth = places.take(lambda: False)
    assert (third.over(), fourth.over()) == (False, False)
    assert places.take(lambda: True).over()


def test_streams_are_limited(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop.dashboard.streams.MOST_STREAMS", 3)
    ask = b"GET /api/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    with in_thread(url) as port, ExitStack() as stack:
        lines = []
        for _ in range(5):
            lines.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20)))
            lines[-1].sendall(ask)
            assert b"200" in lines[-1].recv(20)  # the newcomer is let in
        for line in lines[:2]:
            while line.recv(65536):
                pass  # and the oldest have ended
        lines[-1].settimeout(1.5)
        with suppress(TimeoutError):
            while lines[-1].recv(65536):
                pass
            pytest.fail("the newest stream has ended, too")


def test_a_fixed_share_of_the_fuzz() -> None:
    assert http.run(640, seed=15, deadline_seconds=60.0) == 640
