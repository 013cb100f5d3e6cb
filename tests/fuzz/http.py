"""Raw bytes for the dashboard: whatever arrives, nothing is answered with 5xx, nothing stalls, nothing is logged."""

from __future__ import annotations

import os
import random
import re
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import nonstop
from tests.dashboard.serving import Served, served

TOKEN: Final = "a token of some length"
#: Seconds in which an ordinary request must be answered, whatever came before it; generous, for a busy machine.
PATIENCE: Final = 15.0
#: Connections that are open at a time, before an ordinary request is made and their answers are read.
_BATCH: Final = 16
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3})")

METHODS: Final = [b"GET"] * 12 + [
    b"HEAD",
    b"POST",
    b"PUT",
    b"OPTIONS",
    b"TRACE",
    b"CONNECT",
    b"PRI",
    b"get",
    b"G\x00T",
    b"",
]
TARGETS: Final = [
    *(b"/", b"/studies/1", b"/api/studies", b"/api/studies/1", b"/api/studies/1?epoch=1&after=2", b"/api/figures"),
    *(b"/api/studies/1/trials/0", b"/api/studies/1/trials/99", b"/static/style.css", b"/static/list.js", b"/nothing"),
    *(b"/api/studies/" + b"7" * 5000, b"/studies/" + b"9" * 5000, b"/api/studies/1/trials/" + b"1" * 4500),
    *(b"/api/studies/1?after=" + b"3" * 5000, b"/api/studies/-1", b"/api/studies/1e3", b"/studies/%D9%A1"),
    *(
        b"/static/%00",
        b"/static/style.css%00",
        b"/static/" + b"a" * 300,
        b"/static/style.css/x",
        b"/static",
        b"/static/",
    ),
    *(
        b"/static/../server.py",
        b"/static/%2e%2e%2fserver.py",
        b"/%",
        b"/%zz",
        b"/%ff%fe",
        b"/%c0%af",
        b"//",
        b"//evil/",
    ),
    *(
        b"http://127.0.0.1/",
        b"http://evil.example/studies/1",
        b"*",
        b"evil.example:80",
        b"",
        b"?",
        b"/?token=" + b"x" * 90,
    ),
    *(
        b"/?token=%ff",
        b"/?" + b"&" * 500,
        b"/?token=a%20token%20of%20some%20length",
        b"/" + b"a" * 20_000,
        b"/\xc3\xbc",
    ),
    *(b"/studies/1/", b"/api/studies/1/figures/none", b"/api/studies/1/figures/%00", b"/api/studies/1/figures/trace"),
]
HOSTS: Final = [b"127.0.0.1"] * 12 + [
    *(b"localhost:80", b"[::1]", b"[1]", b"[::1%25lo]", b"[", b"[]", b"]", b"", b"a b", b"127.0.0.1:" + b"9" * 5000),
    *(b"evil.example", b"\xff\xfe", b"127.0.0.1, evil.example", b"127.0.0.1:-1", b"[:::::::::]", b"0x7f.1", b"[v1.a]"),
]
COOKIES: Final = [
    *(
        b'nonstop="' + b'\\"' * 9000 + b'"',
        b"nonstop=" + b"x" * 60_000,
        b"=;" * 5000,
        b"a" + b" " * 20_000 + b"(",
        b"nonstop",
    ),
    *(b"nonstop=\xff; nonstop=1", b'nonstop="\\', b"nonstop=" + b"\\101" * 3000, b"nonstop=;" * 3000, b";", b'"'),
]
RANGES: Final = [
    b"bytes=0-0",
    b"bytes=" + b"0-1," * 4000,
    b"bytes=-",
    b"bytes=9-1",
    b"bytes=" + b"9" * 5000 + b"-",
    b"x",
]
DATES: Final = [
    b"Thu, 01 Jan 1970 00:00:00 GMT",
    b"0",
    b"Thu, 99 Foo " + b"9" * 5000 + b" 99:99:99 +" + b"9" * 99,
    b"\xff",
]
HEADERS: Final[list[Callable[[random.Random], bytes]]] = [
    lambda random: b"Cookie: " + random.choice(COOKIES),
    lambda random: b"Range: " + random.choice(RANGES),
    lambda random: b"If-Modified-Since: " + random.choice(DATES),
    lambda random: b"If-None-Match: " + random.choice([b"*", b'"x"', b'W/"', b"\xff" * 50, b"," * 3000]),
    lambda random: b"Origin: " + random.choice([b"null", b"http://127.0.0.1", b"\xff", b"http://[1]", b""]),
    lambda random: b"Sec-Fetch-Site: " + random.choice([b"cross-site", b"none", b"\x80"]),
    lambda random: (
        b"Authorization: " + random.choice([b"Bearer x", b"Bearer " + TOKEN.encode(), b"\xff" * 99, b"Basic ="])
    ),
    lambda random: (
        b"Content-Length: " + random.choice([b"0", b"5", b"-1", b"1, 1", b"9" * 5000, b"x", b"0x1", b"+1", b"5\x0b"])
    ),
    lambda random: (
        b"Transfer-Encoding: " + random.choice([b"chunked", b"gzip, chunked", b"CHUNKED", b"x", b"chunked, chunked"])
    ),
    lambda random: b"Expect: " + random.choice([b"100-continue", b"100-Continue, x", b"\x00"]),
    lambda random: b"Upgrade: " + random.choice([b"websocket", b"h2c", b"\xff"]) + b"\r\nConnection: Upgrade",
    lambda random: b"Connection: " + random.choice([b"keep-alive", b"close, Upgrade", b"\xff", b"," * 999]),
    lambda random: random.choice(
        [b"H\xf6st: x", b"\x00: x", b": x", b"X" * 9000 + b": y", b"X:" + b"y" * 40_000, b" folded", b"X\x0b: y"]
    ),
    lambda random: b"\r\n".join([b"A: b"] * random.choice([1, 100, 3000, 12_000])),
    lambda random: b"Host: " + random.choice(HOSTS),
]
BODIES: Final = [
    b"",
    b"",
    b"",
    b"hello",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"fffffffffffffffff\r\n",
    b"-1\r\n",
    b"0\r\nX: y\r\n\r\n",
    b"5\r\nhi",
    b"\x00" * 999,
]


def request(random: random.Random) -> bytes:
    """One request, right or wrong in a few places."""
    version = random.choice([b"HTTP/1.1"] * 8 + [b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9.9", b"", b"HTTP/1.1\x00"])
    lines = [b" ".join([random.choice(METHODS), random.choice(TARGETS), version])]
    if random.random() < 0.95:
        lines.append(b"Host: " + random.choice(HOSTS))
    lines += [random.choice(HEADERS)(random) for _ in range(random.choice([0, 0, 1, 1, 2, 4]))]
    if random.random() < 0.7:
        lines.append(b"Connection: close")
    end = random.choice([b"\r\n"] * 8 + [b"\n", b"\r"])
    return end.join([*lines, b"", random.choice(BODIES)])


def mutated(data: bytes, random: random.Random) -> bytes:
    """The bytes with some of them changed, removed, repeated or cut off."""
    for _ in range(random.choice([0, 0, 0, 1, 2, 8])):
        at, to = (random.randrange(len(data) + 1) for _ in range(2))
        noise = bytes([random.randrange(256)])
        data = random.choice(
            [
                data[:at] + noise + data[at + 1 :],
                data[:at] + data[to:],
                data[:at] + data[at:to] * 2 + data[at:],
                data[:at],
            ]
        )[:100_000]
    return data


def bytes_of(random: random.Random) -> bytes:
    """What one connection sends: mostly one request, sometimes several at once, sometimes no request at all."""
    if random.random() < 0.02:
        return random.randbytes(random.choice([1, 50, 5000]))
    return mutated(b"".join(request(random) for _ in range(random.choice([1, 1, 1, 1, 2, 4]))), random)


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Send `count` inputs to a dashboard without and one with a token, at most until the deadline; return how many
    were sent. AssertionError, with the bytes, if one is answered with 5xx or stops the others from being answered."""
    source, until = random.Random(seed), time.monotonic() + deadline_seconds
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        url = _study_in(Path(folder))
        servers = [stack.enter_context(served(url, Path(folder), *more)) for more in ((), ("--token", TOKEN))]
        sent = 0
        while sent < count and time.monotonic() < until:
            size = min(_BATCH, count - sent)
            _batch(servers[sent // _BATCH % 2], [bytes_of(source) for _ in range(size)], seed)
            sent += size
        for server in servers:
            _check_quiet(server, seed)
    return sent


def _study_in(folder: Path) -> str:
    url = f"sqlite:///{folder / 'runs.db'}"
    study = nonstop.create_study(url, "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
    for value in (0.3, 0.1):
        study.tell(study.ask("anna"), value)
    study.storage.close()
    return url


def _batch(server: Served, inputs: list[bytes], seed: int) -> None:
    with ExitStack() as stack:
        connections = [stack.enter_context(_sent(server, data)) for data in inputs]
        began = time.monotonic()
        _probe(server, inputs, seed)
        assert time.monotonic() - began < PATIENCE, f"seed {seed}: a stall after one of {inputs!r}"
        for connection, data in zip(connections, inputs, strict=True):
            statuses = {int(found) for found in _STATUS.findall(_answered(connection))}
            assert all(status < 500 for status in statuses), f"seed {seed}: {statuses} for {data!r}"


def _sent(server: Served, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    with suppress(ConnectionError):  # refused in the middle
        connection.sendall(data)
    return connection


def _probe(server: Served, inputs: list[bytes], seed: int) -> None:
    """An ordinary request: its answer comes after what the server had to say to all others at once."""
    try:
        assert server.ask("/static/style.css").status == 200
    except (OSError, AssertionError) as error:
        raise AssertionError(f"seed {seed}: {error!r} after one of {inputs!r}") from error


def _answered(connection: socket.socket) -> bytes:
    """What is there; streams never end, so nothing is waited for."""
    connection.setblocking(False)
    said = b""
    with suppress(BlockingIOError, ConnectionError):
        while chunk := connection.recv(65536):
            said += chunk
    return said


def _check_quiet(server: Served, seed: int) -> None:
    """Nothing that a stranger sends is worth a line in the terminal; a traceback certainly is not."""
    assert server.process.poll() is None, f"seed {seed}: the dashboard has ended"
    assert server.process.stderr is not None
    os.set_blocking(server.process.stderr.fileno(), False)
    with suppress(TypeError):  # nothing to read
        said = server.process.stderr.read()
        assert not said, f"seed {seed}: {said}"
