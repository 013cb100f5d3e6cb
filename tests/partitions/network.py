"""Three network namespaces of our own: workers, a router, and the server. Nothing in them reaches anything outside.

    workers 10.213.1.2 ── 10.213.1.1 router 10.213.2.1 ── 10.213.2.2 server

What the router does not forward is lost without a word, as on a broken line. It also runs a proxy that delays, because
not every kernel can (netem). The workers find the server by a name, from a file that stands in for /etc/hosts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = "nonstop-db"
WORKERS, ROUTER_WORKERS, ROUTER_SERVER, SERVER = "10.213.1.2", "10.213.1.1", "10.213.2.1", "10.213.2.2"
PORT = 5432
#: Gives up root in the namespace: PostgreSQL refuses to run as root.
AS_NOBODY = "import os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])"


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Network:
    """The namespaces, while they are there."""

    def __init__(self, folder: Path) -> None:
        self._prefix = f"nonstop{os.getpid()}"
        self.workers, self.router, self.server = (f"{self._prefix}{end}" for end in "wrs")
        self._hosts = folder / "hosts"
        self._control = folder / "proxy.json"
        self._proxy: subprocess.Popen[bytes] | None = None

    def set_up(self) -> None:
        for space in (self.workers, self.router, self.server):
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
        self._wire(self.workers, WORKERS, ROUTER_WORKERS, "a")
        self._wire(self.server, SERVER, ROUTER_SERVER, "b")
        forward = "echo 1 > /proc/sys/net/ipv4/ip_forward"
        subprocess.run(["ip", "netns", "exec", self.router, "sh", "-c", forward], check=True, capture_output=True)
        self.find_name(SERVER)

    def _wire(self, space: str, address: str, router: str, letter: str) -> None:
        end, other = f"ns{os.getpid()}{letter}", f"ns{os.getpid()}{letter}r"
        ip("link", "add", end, "netns", space, "type", "veth", "peer", "name", other, "netns", self.router)
        for where, device, own in ((space, end, address), (self.router, other, router)):
            ip("-n", where, "addr", "add", f"{own}/24", "dev", device)
            ip("-n", where, "link", "set", device, "up")
        ip("-n", space, "route", "add", "default", "via", router)

    def tear_down(self) -> None:
        if self._proxy is not None:
            self._proxy.kill()
            self._proxy.wait()
        for space in (self.workers, self.router, self.server):
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)

    @property
    def launcher(self) -> list[str]:
        """The command that runs a PostgreSQL in the server's namespace."""
        return ["ip", "netns", "exec", self.server, sys.executable, "-c", AS_NOBODY]

    def in_workers(self, words: list[str]) -> list[str]:
        """The command in the workers' namespace, where our file stands in for /etc/hosts."""
        script = 'mount --bind "$0" /etc/hosts && exec "$@"'
        return ["ip", "netns", "exec", self.workers, "sh", "-c", script, str(self._hosts), *words]

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{NAME}:{PORT}/postgres"

    def lose(self, *receivers: str) -> None:
        """What is sent to these is lost."""
        for receiver in receivers:
            ip("-n", self.router, "route", "add", "blackhole", f"{receiver}/32")

    def heal(self, *receivers: str) -> None:
        for receiver in receivers:
            ip("-n", self.router, "route", "del", "blackhole", f"{receiver}/32")

    def find_name(self, address: str | None) -> None:
        """In place: another file would not be the one that is mounted."""
        self._hosts.write_text("127.0.0.1 localhost\n" + (f"{address} {NAME}\n" if address else ""))

    def start_proxy(self) -> None:
        words = [sys.executable, "-m", "tests.partitions.proxy", ROUTER_WORKERS, str(PORT), SERVER, str(PORT)]
        self.delay(0.0)
        inside = ["ip", "netns", "exec", self.router, *words, str(self._control)]
        self._proxy = subprocess.Popen(inside, cwd=ROOT)
        self.find_name(ROUTER_WORKERS)

    def delay(self, seconds: float) -> None:
        self._control.write_text(json.dumps({"delay": seconds}))


@contextmanager
def a_network(folder: Path) -> Iterator[Network]:
    """The namespaces; a RuntimeError that says why where they are not allowed."""
    network = Network(folder)
    try:
        try:
            network.set_up()
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", "") or str(error)
            raise RuntimeError(
                f"`make partitions` needs network namespaces, which were refused here ({str(said).strip()}): run it as "
                "root on Linux with iproute2, or in a container that may (--privileged)"
            ) from error
        yield network
    finally:
        network.tear_down()
