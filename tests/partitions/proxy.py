"""A proxy that delays or drops what passes through it, where the kernel cannot (netem).

python -m tests.partitions.proxy HOST PORT TARGET-HOST TARGET-PORT FILE     FILE says how: {"delay": 0.3}
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path


class Proxy:
    """Listens, and forwards to a target. `delay` is added in each direction; while `dropping`, nothing passes."""

    def __init__(self, target: tuple[str, int], address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        self.delay = 0.0
        self.dropping = False
        self._target = target
        self._listener = socket.create_server(address)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._connect, args=[client], daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        while self.dropping:
            time.sleep(0.01)
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        for source, sink in ((client, server), (server, client)):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Pipe(self, source, sink)

    def close(self) -> None:
        """No more connections; those that there are end with their clients."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Pipe:
    """One direction of one connection: a thread reads, another writes what is old enough."""

    def __init__(self, proxy: Proxy, source: socket.socket, sink: socket.socket) -> None:
        self._proxy, self._source, self._sink = proxy, source, sink
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._some = threading.Semaphore(0)
        for work in (self._read, self._write):
            threading.Thread(target=work, daemon=True).start()

    def _read(self) -> None:
        data = b"-"
        while data:
            try:
                data = self._source.recv(65536)
            except OSError:
                data = b""
            self._waiting.append((time.monotonic() + self._proxy.delay, data))
            self._some.release()

    def _write(self) -> None:
        data = b"-"
        with suppress(OSError):
            while data:
                self._some.acquire()
                due, data = self._waiting.popleft()
                time.sleep(max(0.0, due - time.monotonic()))
                while self._proxy.dropping:
                    time.sleep(0.01)
                self._sink.sendall(data)
        for end in (self._source, self._sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._sink.close()  # the other end is the sink of the other direction


def main() -> None:
    host, port, target, target_port, control = sys.argv[1:]
    proxy = Proxy((target, int(target_port)), (host, int(port)))
    while True:
        with suppress(OSError, ValueError):
            said = json.loads(Path(control).read_text())
            proxy.delay, proxy.dropping = said.get("delay", 0.0), said.get("dropping", False)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
