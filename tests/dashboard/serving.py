"""`nonstop dashboard` as a user starts it, and requests to it, byte by byte where a client would tidy them up."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.commands import start


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[str]
    address: str  # http://127.0.0.1:12345

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def ask(self, path: str = "/", method: str = "GET", **headers: str) -> Answer:
        """Headers with _ for -; a Host given here replaces the usual one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host="Host" in named)
        for name, value in named.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        streaming = found.get("content-type", "").startswith("text/event-stream")
        body = "" if streaming else response.read().decode()
        connection.close()
        return Answer(response.status, found, body)


@contextmanager
def served(url: str, cwd: Path, *options: str) -> Iterator[Served]:
    process = start("dashboard", url, "--port", "0", *options, cwd=cwd)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"(http://\S+)/ ", line)
    assert found, line + process.communicate(timeout=20)[1]
    try:
        yield Served(process, found[1])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
